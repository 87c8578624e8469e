/**
 * The order book with a million resting orders: operations per second one by one and mixed, and bytes per order. Then the
 * same for a whole exchange, which also finds orders by id and tracks accounts, with the cost of a level tick; then that
 * of an order that starts at once. `npm run bench -- --only order-book [--quick]` (a tenth of the orders) gives it a
 * gateway's heap and --expose-gc, without which the bytes include garbage, and runs each part in a process of its own:
 * code that has met the orders of another part is compiled for both, and a gateway has one kind.
 */
import { parseArgs } from 'node:util';
import { markdownTable } from '#simulations/markdown-table.ts';
import { benchBook } from './order-book/book.ts';
import { benchExchange, benchOneMoment } from './order-book/exchange.ts';
import { benchIdle } from './order-book/idle.ts';
import { makeIds, type Part } from './order-book/orders.ts';

const parts: Record<string, readonly ((part: Part) => void)[]> = {
  book: [benchBook],
  exchange: [benchExchange, benchOneMoment],
  idle: [benchIdle],
};
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, part: { type: 'string' } } });
const { part, quick } = values;
const benches = part === undefined ? Object.values(parts).flat() : parts[part];
if (!benches) throw new Error(`There is no part ${part}; there are ${Object.keys(parts).join(', ')}.`);

const resting = quick ? 100_000 : 1_000_000;
const ids = makeIds(2 * resting);
const rows: string[][] = [];
const report = (what: string, figure: string, target = '') => void rows.push([what, figure, target]);
for (const bench of benches) bench({ resting, ids, report });
console.log(markdownTable([`${resting.toLocaleString('en')} resting orders`, 'measured', 'target'], rows));
