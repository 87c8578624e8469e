/**
 * What an order with a deadline bids: the lowest price at which it still starts in time with a chance of 95 %. Two
 * forecasts give such a price, and it bids the lower one:
 *
 * - what stands before it now (`odds.ts`), as if demand stayed as it is;
 * - how low the level was at the times of day that are left (`past-levels.ts`): by day it waits for the night.
 *
 * The second one counts only up to a last safe moment; after it the order bids the price that the market takes now.
 * Pure. When the bid of a waiting order moves is in `deadline-moves.ts`. docs/decisions/0057.
 */
import { lowest } from '#base/lowest.ts';
import type { PriceNano } from '#base/money.ts';
import { type MarketOdds, queueingAt } from '../estimates/odds.ts';
import { type Queueing, USUAL_AFTER_S } from '../estimates/start-chance.ts';
import { stepAround } from '../price/arrival-rates.ts';
import { DAY_QUARTERS, type PastLevels, QUARTER_MS, quarterOf } from './past-levels.ts';

/** The chance at which a bid is high enough. */
export const START_CHANCE = 0.95;
/** The past counts up to this many times the time that a start at any price takes, and at least so long, before the end. */
const SAFE_TIMES = 3;
const SAFE_MS_MIN = 5 * 60_000;
/** The wait that is assumed while it is unknown how long a start takes. */
const SAFE_MS_UNKNOWN = 15 * 60_000;
/** Bids by past levels are this much higher, because days differ. */
const MARGIN = 1.05;
/** A day that is dearer than those before is expected to stay so, up to this much. */
const DEARER_MAX = 4;
/** The bid is at least this part of the lows of a day, because prices near 0 need no exact forecast. */
const LEAST = 0.03;
/** The part of a quarter's starts that orders waiting for it may count on. */
const SHARE = 0.25;

/** The market as one order with a deadline sees it. */
export interface DeadlineOutlook {
  readonly odds: MarketOdds;
  readonly past: PastLevels;
  /** The lowest level of the market, which is bid even where less would start. */
  readonly floor: PriceNano;
}

/** How an order stands among others with deadlines. */
interface AmongDeadlines {
  readonly timeLeftMs: number;
  /** Others that must start before it, or at the same time, by what they bid now. */
  readonly rivals: readonly Rivals[];
}

/** Orders with deadlines that bid this, or their limit where that is lower. */
export interface Rivals {
  readonly bid: PriceNano;
  /** How many of them may bid a price. An order whose limit is lower never stands ahead at that price. */
  readonly upTo: (price: PriceNano) => number;
}

/** The bid, without regard to any limit; null where no price starts it in time with that chance. */
export function deadlineBid(outlook: DeadlineOutlook, order: AmongDeadlines): PriceNano | null {
  const now = bidByOdds(outlook.odds, order);
  const later = bidByPast(outlook, order);
  if (now === null && later === null) return null;
  return Math.max(outlook.floor, Math.min(now ?? Number.POSITIVE_INFINITY, later ?? Number.POSITIVE_INFINITY));
}

/** The chance to start in time at this bid while demand stays as it is, 0 to 1; null while it is not known. */
export function chanceAt(odds: MarketOdds, at: number, { timeLeftMs, rivals }: AmongDeadlines): number | null {
  const price = odds.points[at]?.price ?? 0;
  // Rivals that bid as much are in the book already; the others will raise their bids in time.
  const later = rivals.reduce((sum, { bid, upTo }) => sum + (bid < price ? upTo(price) : 0), 0);
  const queueing = queueingAt(odds, at, 1 + later);
  return queueing === null || typeof queueing === 'number' ? queueing : firstPassage(queueing, timeLeftMs / 1000);
}

/** The lowest price with that chance while demand stays as it is. */
function bidByOdds(odds: MarketOdds, order: AmongDeadlines): PriceNano | null {
  const { points } = odds;
  const point = lowest(points.length, (at) => (chanceAt(odds, at, order) ?? 0) >= START_CHANCE);
  return points[point]?.price ?? null;
}

/** The lowest price that was enough in the quarters that are left, as many of them as all rivals need. */
function bidByPast({ odds, past }: DeadlineOutlook, order: AmongDeadlines): PriceNano | null {
  const { atMs } = odds;
  const endMs = atMs + order.timeLeftMs - safeMs(odds, order);
  const levels: number[] = [];
  const until = Math.min(quarterOf(endMs), quarterOf(atMs) + 1 + DAY_QUARTERS);
  for (let quarter = quarterOf(atMs) + 1; quarter < until; quarter++) {
    const level = past.expected(quarter, atMs);
    if (level !== null) levels.push(level);
  }
  levels.sort((one, two) => one - two);
  const level = levels.find((price, at) => quartersFor(odds, order, price) <= at + 1);
  if (level === undefined) return null;
  const usual = usualLevel(past, atMs);
  return stepAround(Math.max(LEAST * usual, level * MARGIN * dearer(past, usual, atMs)))[1];
}

/** How long before its deadline an order has to bid what the market takes. */
function safeMs(odds: MarketOdds, { timeLeftMs, rivals }: AmongDeadlines): number {
  const top = odds.points.length - 1;
  for (let ms = SAFE_MS_MIN / SAFE_TIMES; ms * SAFE_TIMES < timeLeftMs; ms *= 1.5) {
    const chance = chanceAt(odds, top, { timeLeftMs: ms, rivals });
    if (chance === null) return SAFE_MS_UNKNOWN;
    if (chance >= START_CHANCE) return ms * SAFE_TIMES;
  }
  return timeLeftMs;
}

/** The number of quarters in which all orders that may bid this price start. */
function quartersFor({ slots, runMs }: MarketOdds, { rivals }: AmongDeadlines, price: PriceNano): number {
  const orders = rivals.reduce((sum, { upTo }) => sum + upTo(price), 1);
  if (runMs === null || slots === 0) return 1;
  return Math.ceil(orders / (SHARE * slots * (QUARTER_MS / runMs)));
}

/** The mean of the lows of the last day; 0 where nothing is known. */
function usualLevel(past: PastLevels, nowMs: number): number {
  let [sum, known] = [0, 0];
  for (let ago = 0; ago < DAY_QUARTERS; ago++) {
    const low = past.low(quarterOf(nowMs) - ago);
    if (low === null) continue;
    sum += low;
    known++;
  }
  return known === 0 ? 0 : sum / known;
}

/** By how much the last half hour was dearer than foretold, from 1. */
function dearer(past: PastLevels, usual: number, nowMs: number): number {
  let [was, expected] = [LEAST * usual, LEAST * usual];
  for (let ago = 1; ago <= 2; ago++) {
    const quarter = quarterOf(nowMs) - ago;
    const [low, before] = [past.low(quarter), past.low(quarter - DAY_QUARTERS)];
    if (low === null || before === null) continue;
    was += low;
    expected += before;
  }
  return expected === 0 ? 1 : Math.min(DEARER_MAX, Math.max(1, was / expected));
}

// The chance that an order starts within a time, by a formula: the first passage of a walk with constant drift. It is a
// thousand times as fast as the walk of `start-chance.ts`, and less right where orders ahead give up or rates change soon;
// good enough for a bid that is looked at again every few seconds. docs/decisions/0057.

/** The chance, 0 to 1, of an order for which no slot is free. */
function firstPassage(queueing: Queueing, seconds: number): number {
  const { ahead, free, served, outbid, outbidUsually, burstiness, givingUp } = queueing;
  if (seconds <= 0) return 0;
  const places = ahead + 1 - free;
  const lately = (USUAL_AFTER_S / seconds) * -Math.expm1(-seconds / USUAL_AFTER_S);
  const coming = outbidUsually + (outbid - outbidUsually) * lately;
  // On its way to the front, half as many are ahead on average.
  const leaving = served + (givingUp * places) / 2;
  const drift = leaving - coming;
  const variance = leaving + coming * burstiness;
  const deviation = Math.sqrt(variance * seconds);
  const direct = scaledTail((places - drift * seconds) / deviation, 0);
  const reflected = scaledTail((places + drift * seconds) / deviation, (2 * drift * places) / variance);
  return Math.min(1, direct + reflected);
}

/**
 * e^`exponent` times the part of a standard normal distribution above `x`. The relative error is below 10^-6 however
 * far out: Numerical Recipes, `erfcc`. Computed in one exponential, because single factors may overflow or underflow.
 */
function scaledTail(x: number, exponent: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + z / 2);
  const series =
    1.00002368 +
    t *
      (0.37409196 +
        t *
          (0.09678418 +
            t *
              (-0.18628806 +
                t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277)))))));
  const tail = (t / 2) * Math.exp(exponent - z * z - 1.26551223 + t * series);
  return x >= 0 ? tail : Math.exp(exponent) - tail;
}
