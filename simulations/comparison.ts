/**
 * The quote against what it replaced, a mark-up on the level, over the same seeded arrivals. Each is given its best
 * chance: both trade on from the same warm market, both prices stand for the same windows, and the mark-up is tried
 * twice, found while trading by the controller that corrects the quote, and as the one factor that starts as many locks
 * as the quote does, which only somebody who has seen the day can know.
 */
import { type Figures, figuresOf, type Measures, type Sample, sumOf, TradingFloor } from './floor.ts';
import { MarkUp } from './mark-up.ts';
import { bursts, type Outcome, steady } from './scenarios.ts';
import { letTrade } from './traders.ts';

/** One kind of day on which the two are compared. */
export interface Contest {
  readonly name: string;
  readonly slots: number;
  readonly lockShare: number;
  readonly load: (sinceStartMs: number) => number;
  /** The time that the correction needs to settle, and as long again is measured. */
  readonly hours: number;
}

/** What came of a day, priced in one way. */
export interface Entry extends Outcome {
  readonly contest: string;
}

/** By the book; a mark-up that finds itself; or a fixed one. */
export type Pricing = 'book' | 'found' | { readonly factor: number };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SEEDS = 3;
/** Beyond this factor nobody locks any more. */
const FACTOR_MAX = 8;
const HALVINGS = 7;

/** Demand that swings between 0.4 and 2 times the capacity within half an hour. */
function swings(sinceMs: number): number {
  return 1.2 + 0.8 * Math.sin((sinceMs / (30 * MINUTE_MS)) * 2 * Math.PI);
}

const ordinary = { slots: 64, lockShare: 0.3, hours: 1 } as const;

/** Steady loads first. */
export const contests: readonly Contest[] = [
  { ...ordinary, name: 'load 2', load: steady(2) },
  { ...ordinary, name: 'load 2, 60 % locks', lockShare: 0.6, load: steady(2) },
  { ...ordinary, name: 'load 2, everyone locks', lockShare: 1, load: steady(2) },
  { ...ordinary, name: 'load 2, 8 slots', slots: 8, hours: 8, load: steady(2) },
  { ...ordinary, name: 'swings', load: swings },
  { ...ordinary, name: 'bursts', load: bursts },
];

/** Three days in each way: the book first, then the mark-up found while trading, then the one of hindsight. */
export function compare(contest: Contest, seed: number): readonly Entry[] {
  const seeds = Array.from({ length: SEEDS }, (_, more) => seed + more);
  const book = trade(contest, seeds, 'book');
  const found = trade(contest, seeds, 'found');
  return [
    { ...book, name: 'read from the book' },
    { ...found, name: 'level × a factor found while trading' },
    hindsight(contest, seeds, book.figures.clearRate),
  ];
}

/** The smallest factor that starts as many locks as the quote, or the one that starts most where none does. */
function hindsight(contest: Contest, seeds: readonly number[], clearRate: number): Entry {
  const at = (factor: number) => ({ factor, entry: trade(contest, seeds, { factor }) });
  let least = at(FACTOR_MAX);
  if (least.entry.figures.clearRate < clearRate) {
    return { ...least.entry, name: `level × ${FACTOR_MAX}, and no smaller factor starts as many` };
  }
  for (let low = 1, halving = 0; halving < HALVINGS; halving++) {
    const middle = at(Math.sqrt(low * least.factor));
    if (middle.entry.figures.clearRate < clearRate) low = middle.factor;
    else least = middle;
  }
  return { ...least.entry, name: `level × ${least.factor.toFixed(2)}, known from hindsight` };
}

/** The days of these seeds in one way, their figures together. The same seeds give the same figures. */
export function trade(contest: Contest, seeds: readonly number[], pricing: Pricing): Entry {
  const days = seeds.map((seed) => tradeOnce(contest, seed, pricing));
  const figures: Figures = figuresOf(sumOf(days.map(({ measures }) => measures)), contest.slots);
  return { contest: contest.name, name: '', figures, samples: days[0]?.samples ?? [] };
}

function tradeOnce(
  { slots, lockShare, load, hours }: Contest,
  seed: number,
  pricing: Pricing,
): { measures: Measures; samples: readonly Sample[] } {
  const floor = new TradingFloor({ seed, slots });
  letTrade(floor, { load, slots, lockShare });
  floor.run(hours * HOUR_MS);
  if (pricing !== 'book') floor.quoteBy(new MarkUp(pricing === 'found' ? null : pricing.factor, floor.quote));
  floor.run((hours * HOUR_MS) / 2);
  floor.measureAfresh();
  floor.samples.length = 0;
  floor.run(hours * HOUR_MS);
  return floor;
}
