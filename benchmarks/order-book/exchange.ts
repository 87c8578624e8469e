/** A whole exchange with one market, all of whose slots are taken. */
import { seededRandom } from '#base/random.ts';
import type { Exchange } from '#market/exchange/exchange.ts';
import type { Admit } from '#market/ports.ts';
import { marketListing } from '#testing/listings.ts';
import { median } from '../machine.ts';
import { tellFigure } from '../targets/figures.ts';
import { at, bytes, bytesOfAnId, memory, openExchange, type Part, price, rate, rest } from './orders.ts';

/** So many orders end, and as many of those that wait start; of fewer that wait, a quarter. */
const TURNS_MAX = 10_000;

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

/** Everything rests, and is accessed by id and through messages; then ticks, and orders that end. */
export function benchExchange(part: Part): void {
  const { resting, report } = part;
  // Code that has not been compiled yet takes twice as long, and a gateway runs for days.
  runExchange(part, resting / 10);
  const run = runExchange(part, resting);
  report('exchange: bytes an order, its id counted', bytes(run.bytes), '≤ 300');
  report('exchange: rest while growing', run.rest);
  report('exchange: mixed rest, withdraw, reprice and position', run.mixed);
  tellFigure('exchange: tick ms', run.tickMs);
  report('exchange: one change and one tick of the level, median', `${run.medianTickMs.toFixed(4)} ms`);
  report('exchange: the same, mean', `${run.tickMs.toFixed(4)} ms`, '≤ 2 ms');
  report('exchange: an order ends and the best that waits starts', `${run.turnUs.toFixed(2)} µs`);
}

/** The whole exchange: all slots taken, everything else resting, accessed by id and through messages. */
function runExchange({ ids }: Part, resting: number): ExchangeRun {
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
    // What came in the last 2.5 seconds has not been looked at yet.
    if (operation === resting - 1) exchange.tick(nowMs + 3000);
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
  const turns = Math.min(TURNS_MAX, resting / 4);
  const rounds = [0, 1].map((round) => {
    const startMs = performance.now();
    for (let turn = 0; turn < turns; turn++) {
      const { order, attempt, pod } = at(running, round * turns + turn);
      exchange.handle({ type: 'release', model, order, attempt, pod, reason: 'finished' }, ++endMs);
    }
    return ((performance.now() - startMs) * 1000) / turns;
  });
  return { bytes: size, rest: build, mixed, tickMs, medianTickMs: median(ticks), turnUs: at(rounds, 1) };
}

/** What cannot happen, at its worst: all orders came in one millisecond, and are looked at in one. */
export function benchOneMoment({ resting, ids, report }: Part): void {
  const random = seededRandom(4);
  const exchange = openExchange();
  for (let index = 0; index < resting; index++) exchange.handle(rest(at(ids, index), index, price(random)), 0);
  for (const nowMs of [1000, 2000]) exchange.tick(nowMs);
  const startMs = performance.now();
  exchange.tick(3000);
  const each = ((performance.now() - startMs) * 1000) / resting;
  report('exchange: the tick in which all are looked at, an order', `${each.toFixed(3)} µs`);
}
