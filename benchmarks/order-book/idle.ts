/** A market with room for every order. */
import { seededRandom } from '#base/random.ts';
import { marketListing } from '#testing/listings.ts';
import { median } from '../machine.ts';
import { at, openExchange, type Part, price, rest, SLOTS } from './orders.ts';

/** An order that runs at once: the cost of the exchange per order in a market with free slots, once the process is warm. */
export function benchIdle(part: Part): void {
  const { report } = part;
  const rounds = Array.from({ length: 6 }, () => idleRound(part));
  report('exchange: rest, admit and release of an order with room', `${median(rounds.slice(1)).toFixed(2)} µs`);
  report('exchange: the same in the first moments of a process', `${at(rounds, 0).toFixed(2)} µs`);
}

/** Microseconds an order. */
function idleRound({ resting, ids }: Part): number {
  const random = seededRandom(3);
  const exchange = openExchange();
  const model = marketListing().id;
  const count = Math.min(resting, 300_000);
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
