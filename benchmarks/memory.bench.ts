/**
 * What a gateway in a process of its own holds in memory: for each order that waits, runs, or is read too slowly, and
 * while accounts with a cent flood it with bodies of 8 MB and others are served. `--quick` measures fewer orders,
 * `--flood` the floods alone, `--link 1000` floods that come over a network of so many megabits a second, `--only chat`
 * those whose name begins so, and the one that goes to another process.
 */
import { parseArgs } from 'node:util';
import { markdownTable } from '#simulations/markdown-table.ts';
import { costColumns, costs, measured } from './memory/costs.ts';
import { floodColumns, flooded, floods } from './memory/flood.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    flood: { type: 'boolean', default: false },
    link: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});

if (!values.flood) {
  const rows: string[][] = [];
  for (const cost of costs(values.quick)) rows.push(await measured(cost));
  console.log(`${markdownTable(costColumns, rows)}\n`);
}
const rows: string[][] = [];
const linkMegabits = values.link === undefined ? null : Number(values.link);
for (const flood of floods(values.quick)) {
  if (!flood.elsewhere && !flood.name.startsWith(values.only)) continue;
  rows.push(await flooded(flood, linkMegabits));
  // A row takes minutes.
  console.error(`${flood.name}: measured`);
}
console.log(markdownTable(floodColumns, rows));
