/**
 * The order book with a million resting orders: operations per second one by one and mixed, and bytes per order. Then the
 * same for a whole exchange, which also finds orders by id and tracks accounts, with the cost of a level tick; then that
 * of an order that starts at once. `npm run bench -- --only order-book [--quick]` (a tenth of the orders) gives it a
 * gateway's heap and --expose-gc, without which the bytes include garbage, and runs each part in a process of its own:
 * code that has met the orders of another part is compiled for both, and a gateway has one kind.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { type Random, seededRandom } from '#base/random.ts';
import { Exchange } from '#market/exchange.ts';
import { NOT_RESTING, OrderBook, type Ranked } from '#market/order-book.ts';
import type { Admit, Command, ExchangeEvent } from '#market/ports.ts';
import { markdownTable } from '#simulations/markdown-table.ts';
import { marketListing, someQuotes } from '#testing/listings.ts';
import { median } from './machine.ts';
import { tellFigure } from './targets/figures.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, part: { type: 'string' } } });
const RESTING = values.quick ? 100_000 : 1_000_000;
const OPERATIONS = RESTING;
const SLOTS = 512;
const ACCOUNTS = 2_000;
const TURNS = 10_000;

const ids = makeIds(RESTING + OPERATIONS);
const rows: string[][] = [];
const report = (what: string, figure: string, target = '') => void rows.push([what, figure, target]);

/** Only the book, with direct references to its orders. */
function benchBook(): void {
  const random = seededRandom(1);
  const before = memory();
  const book = new OrderBook<BenchOrder>();
  const orders = ids.slice(0, RESTING).map((id, seq) => new BenchOrder(id, price(random), seq));
  const perSecond = rate(orders.length, (index) => book.insert(at(orders, index)));
  const size = (memory() - before) / RESTING + bytesOfAnId();
  tellFigure('book: bytes', size);
  report('book: bytes an order, its id counted', bytes(size), '≤ 300');
  report('book: insert while growing', perSecond);

  let seq = RESTING;
  const any = () => at(orders, Math.floor(random.next() * orders.length));
  const move = (order: BenchOrder | null) => {
    if (!order) return;
    book.remove(order);
    order.price = price(random);
    order.seq = seq++;
    book.insert(order);
  };
  // The operation, its frequency in the mix, and the number of operations it counts as.
  const operations = [
    { name: 'reprice (remove and insert)', share: 3, counts: 2, run: () => move(any()) },
    { name: 'take best, and insert anew', share: 5, counts: 2, run: () => move(book.best()) },
    { name: 'position of any order', share: 8, counts: 1, run: () => book.position(any()) },
    { name: 'k-th best price', share: 4, counts: 1, run: () => book.at(Math.ceil(random.next() * RESTING))?.price },
  ];
  for (const { name, run } of operations) report(`book: ${name}`, rate(OPERATIONS, run));
  const wheel = operations.flatMap((operation) => Array.from({ length: operation.share }, () => operation));
  let done = 0;
  const startMs = performance.now();
  for (let round = 0; round < OPERATIONS; round++) {
    const { run, counts } = at(wheel, Math.floor(random.next() * wheel.length));
    run();
    done += counts;
  }
  const mixed = (done * 1000) / (performance.now() - startMs);
  tellFigure('book: mixed operations a second', mixed);
  report('book: mixed operations, position included', perSecondText(mixed), '≥ 500,000/s');
}

/** Twenty things happen to an exchange in a millisecond, and its level moves once a second. */
class Pace {
  readonly #exchange: Exchange;
  #done = 0;
  nowMs = 0;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  next(): number {
    if (++this.#done % 20 === 0 && ++this.nowMs % 1000 === 0) this.#exchange.tick(this.nowMs);
    return this.nowMs;
  }
}

/** What an exchange did. Rates are per second. */
interface ExchangeRun {
  readonly bytes: number;
  readonly rest: string;
  readonly mixed: string;
  /** The mean; every tenth begins a window of the quote, and some must wait for the garbage collector. */
  readonly tickMs: number;
  readonly medianTickMs: number;
  readonly turnUs: number;
}

function benchExchange(): void {
  // Code that has not been compiled yet takes twice as long, and a gateway runs for days.
  runExchange(RESTING / 10);
  const run = runExchange(RESTING);
  report('exchange: bytes an order, its id counted', bytes(run.bytes), '≤ 300');
  report('exchange: rest while growing', run.rest);
  report('exchange: mixed rest, withdraw, reprice and position', run.mixed);
  tellFigure('exchange: tick ms', run.tickMs);
  report('exchange: one change and one tick of the level, median', `${run.medianTickMs.toFixed(4)} ms`);
  report('exchange: the same, mean', `${run.tickMs.toFixed(4)} ms`, '≤ 2 ms');
  report('exchange: an order ends and the best that waits starts', `${run.turnUs.toFixed(2)} µs`);
}

/** The whole exchange: all slots taken, everything else resting, accessed by id and through messages. */
function runExchange(resting: number): ExchangeRun {
  const random = seededRandom(2);
  const before = memory();
  const running: Admit[] = [];
  const exchange = openExchange((event) => {
    if (event.type === 'admit') running.push(event);
  });
  const pace = new Pace(exchange);
  const model = marketListing().id;
  const build = rate(resting, (index) => exchange.handle(rest(at(ids, index), index, price(random)), pace.next()));
  const size = (memory() - before) / resting + bytesOfAnId();

  let fresh = resting;
  const live = ids.slice(0, resting);
  const mixed = rate(resting, (operation) => {
    const nowMs = pace.next();
    const dice = random.next();
    const index = Math.floor(random.next() * live.length);
    const order = at(live, index);
    if (dice < 0.25) {
      exchange.handle({ type: 'withdraw', model, order, expired: false }, nowMs);
      live[index] = at(ids, fresh);
    } else if (dice < 0.5) {
      const next = at(ids, fresh++);
      live.push(next);
      exchange.handle(rest(next, fresh, price(random)), nowMs);
    } else if (dice < 0.6) exchange.handle({ type: 'reprice', model, order, bid: price(random) }, nowMs);
    else exchange.positions(model, [order]);
    // What came in the last five seconds is still to become credible.
    if (operation === resting - 1) exchange.tick(nowMs + 6000);
  });

  const ticks = Array.from({ length: 2000 }, (_, tick) => {
    const nowMs = pace.nowMs + 7000 + tick * 1000;
    const startMs = performance.now();
    exchange.handle({ type: 'reprice', model, order: at(live, tick), bid: price(random) }, nowMs - 500);
    exchange.tick(nowMs);
    return performance.now() - startMs;
  });
  const tickMs = ticks.reduce((sum, ms) => sum + ms, 0) / ticks.length;
  let endMs = pace.nowMs + 7000 + ticks.length * 1000;
  const turnUs = [running.values().take(TURNS), running.values().drop(TURNS).take(TURNS)].map((holders) => {
    const startMs = performance.now();
    for (const { order, attempt, pod } of holders)
      exchange.handle({ type: 'release', model, order, attempt, pod, reason: 'finished' }, ++endMs);
    return ((performance.now() - startMs) * 1000) / TURNS;
  });
  // In the first, every account has its best bids looked for.
  return { bytes: size, rest: build, mixed, tickMs, medianTickMs: median(ticks), turnUs: at(turnUs, 1) };
}

/** What cannot happen, at its worst: all orders came in one millisecond, and become credible in one. */
function benchOneMoment(): void {
  const random = seededRandom(4);
  const exchange = openExchange();
  for (let index = 0; index < RESTING; index++) exchange.handle(rest(at(ids, index), index, price(random)), 0);
  for (let second = 1; second < 5; second++) exchange.tick(second * 1000);
  const startMs = performance.now();
  exchange.tick(5000);
  const each = ((performance.now() - startMs) * 1000) / RESTING;
  report('exchange: the tick in which all become credible, an order', `${each.toFixed(3)} µs`);
}

/** An order that runs at once: the cost of the exchange per order in a market with free slots, once the process is warm. */
function benchIdle(): void {
  const rounds = Array.from({ length: 6 }, () => idleRound());
  report('exchange: rest, admit and release of an order with room', `${median(rounds.slice(1)).toFixed(2)} µs`);
  report('exchange: the same in the first moments of a process', `${at(rounds, 0).toFixed(2)} µs`);
}

/** Microseconds an order. */
function idleRound(): number {
  const random = seededRandom(3);
  const exchange = openExchange();
  const model = marketListing().id;
  const count = Math.min(OPERATIONS, 300_000);
  const startMs = performance.now();
  for (let index = 0; index < count; index++) {
    // Twenty orders per millisecond, each running for a while.
    const nowMs = Math.floor(index / 20);
    exchange.handle(rest(at(ids, index), index, price(random)), nowMs);
    const done = index - SLOTS / 2;
    if (done < 0) continue;
    exchange.handle(
      { type: 'release', model, order: at(ids, done), attempt: 1, pod: 'pod', reason: 'finished' },
      nowMs,
    );
  }
  return ((performance.now() - startMs) * 1000) / count;
}

function openExchange(emit: (event: ExchangeEvent) => void = () => {}): Exchange {
  const listings = [marketListing()];
  const exchange = new Exchange({
    listings,
    levelTimeConstantMs: 20_000,
    recovered: [],
    ...someQuotes(),
    emit,
    nowMs: 0,
  });
  exchange.handle({ type: 'capacity', model: marketListing().id, pod: 'pod', slots: SLOTS, healthy: true }, 0);
  return exchange;
}

function rest(order: string, index: number, bid: number): Command {
  return {
    type: 'rest',
    model: 'tide-70b',
    order,
    account: `account ${index % ACCOUNTS}`,
    bid,
    lockLimit: null,
    restedSeq: null,
    attempt: 1,
    avoidPod: null,
    house: false,
  };
}

class BenchOrder implements Ranked {
  readonly id: string;
  price: number;
  seq: number;
  slot = NOT_RESTING;

  constructor(id: string, price: number, seq: number) {
    this.id = id;
    this.price = price;
    this.seq = seq;
  }
}

/** Prices from 0.10 to 10 USD in steps of 0.0001, log-uniformly distributed. */
function price(random: Random): number {
  return Math.round(10 ** (3 + 2 * random.next())) * 100_000;
}

/** Ids as from a request or the database: flat strings. */
function makeIds(count: number): string[] {
  const source = idSource(systemClock);
  return Array.from({ length: count }, () => Buffer.from(source.uuid(), 'latin1').toString('latin1'));
}

/** Measured separately, because the ids exist before the book. */
function bytesOfAnId(): number {
  const before = memory();
  const sample = makeIds(10_000);
  return (memory() - before) / sample.length;
}

function memory(): number {
  // Some of what the first collection finds to be garbage is freed only by the next.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function rate(count: number, run: (index: number) => unknown): string {
  const startMs = performance.now();
  for (let index = 0; index < count; index++) run(index);
  return perSecondText((count * 1000) / (performance.now() - startMs));
}

function perSecondText(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')}/s`;
}

function bytes(count: number): string {
  return Math.round(count).toString();
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
}

const parts: Record<string, () => void> = {
  book: benchBook,
  exchange: () => {
    benchExchange();
    benchOneMoment();
  },
  start: benchIdle,
};
for (const [name, bench] of Object.entries(parts)) if (name === (values.part ?? name)) bench();
console.log(markdownTable([`${RESTING.toLocaleString('en')} resting orders`, 'measured', 'target'], rows));
