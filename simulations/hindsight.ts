/**
 * The quote compared with the best that could be known afterwards: the lowest constant price at which 95 % of locks, sent
 * one at a time at the moments of this day, would have started within their window. It is one price for the whole day.
 * For each moment the lowest sufficient price is the lowest bid that was given a slot within the window from then on:
 * one more order at a higher price would have had that slot.
 */
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { type Sample, TradingFloor } from './floor.ts';
import { TARGET_START_RATE } from './target.ts';
import { startTraders } from './traders.ts';

const LOAD = 1.5;
const LOCK_SHARE = 0.3;
const WINDOW_MS = 10_000;
const MOMENT_MS = 100;

/** An order that was given a slot. */
export interface Start {
  readonly atMs: number;
  readonly bid: number;
}

/** What came of a day: its mean quote as a multiple of that price, and level and quote over time. */
export interface HindsightOutcome {
  readonly ratio: number;
  readonly samples: readonly Sample[];
}

/** Plays a steady day. Its first hour is not measured. The same seed gives the same figure. */
export function againstHindsight(slots: number, seed: number): HindsightOutcome {
  const starts: Start[] = [];
  const floor = new TradingFloor({ seed, slots, admitted: (bid) => starts.push({ atMs: floor.nowMs, bid }) });
  startTraders(floor, { load: () => LOAD, lockShare: LOCK_SHARE, slots });
  floor.run(HOUR_MS);
  floor.resetMeasures();
  floor.samples.length = 0;
  starts.length = 0;
  floor.run(slots >= 512 ? 40 * MINUTE_MS : 2 * HOUR_MS);
  const quote = floor.measures.quoteArea / floor.measures.elapsedMs;
  return { ratio: quote / lowestConstant(starts, TARGET_START_RATE), samples: floor.samples };
}

/** The lowest price at which this share of locks starts. There must be starts over more than a window. */
export function lowestConstant(starts: readonly Start[], share: number): number {
  const prices: number[] = [];
  const [first, last] = [starts[0]?.atMs ?? 0, starts.at(-1)?.atMs ?? 0];
  let from = 0;
  for (let momentMs = first; momentMs <= last - WINDOW_MS; momentMs += MOMENT_MS) {
    while ((starts[from]?.atMs ?? Number.POSITIVE_INFINITY) < momentMs) from++;
    let lowest = Number.POSITIVE_INFINITY;
    for (let at = from; at < starts.length; at++) {
      const start = starts[at];
      if (!start || start.atMs > momentMs + WINDOW_MS) break;
      lowest = Math.min(lowest, start.bid);
    }
    prices.push(lowest);
  }
  prices.sort((one, two) => one - two);
  return prices[Math.ceil(share * prices.length) - 1] ?? Number.NaN;
}
