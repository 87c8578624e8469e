/**
 * Compares the quote with what it replaced, a mark-up on the level, over the same seeded arrivals. Each gets its best
 * chance: both continue from the same warm market, both prices hold for the same windows, and the mark-up is tried
 * twice: found while trading, by the controller that corrects the quote, and as the one factor that starts as many
 * locks as the quote, which can be known only in hindsight.
 */
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { type Sample, TradingFloor } from './floor.ts';
import { MarkUp } from './mark-up.ts';
import { type Figures, figuresOf, type Measures, sumOf } from './measures.ts';
import { bursts, type Outcome, steady } from './scenarios.ts';
import { startTraders } from './traders.ts';

/** A kind of day on which the two are compared. */
export interface Contest {
  readonly name: string;
  readonly slots: number;
  readonly lockShare: number;
  readonly load: (sinceStartMs: number) => number;
  /** The time that the correction needs to settle; the same time again is measured. */
  readonly hours: number;
}

/** The outcome of a day, priced in one way. */
export interface ContestOutcome extends Outcome {
  readonly contest: string;
}

/** The quote from the book; a mark-up found while trading; or a fixed mark-up. */
export type Pricing = 'book' | 'found' | { readonly factor: number };

const SEEDS = 3;
/** Above this factor nobody locks any more. */
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

/** Three days in each way: first the book, then the mark-up found while trading, then that of hindsight. */
export function compare(contest: Contest, seed: number): readonly ContestOutcome[] {
  const seeds = Array.from({ length: SEEDS }, (_, more) => seed + more);
  const book = trade(contest, seeds, 'book');
  const found = trade(contest, seeds, 'found');
  return [
    { ...book, name: 'read from the book' },
    { ...found, name: 'level × a factor found while trading' },
    hindsight(contest, seeds, book.figures.clearRate),
  ];
}

/** The smallest factor that starts as many locks as the quote; if none does, the one that starts most. */
function hindsight(contest: Contest, seeds: readonly number[], clearRate: number): ContestOutcome {
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

/** The days of these seeds priced in one way, with their figures combined. The same seeds give the same figures. */
export function trade(contest: Contest, seeds: readonly number[], pricing: Pricing): ContestOutcome {
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
  startTraders(floor, { load, slots, lockShare });
  floor.run(hours * HOUR_MS);
  if (pricing !== 'book') floor.quoteBy(new MarkUp(pricing === 'found' ? null : pricing.factor, floor.quote));
  floor.run((hours * HOUR_MS) / 2);
  floor.resetMeasures();
  floor.samples.length = 0;
  floor.run(hours * HOUR_MS);
  return floor;
}
