/**
 * What stands between orders and their start in one market, by the price that they bid: numbers alone, so that they can
 * come from another gateway. They are read at most once a second, however many ask. docs/decisions/0057.
 */
import type { PriceNano } from '#base/money.ts';
import type { OrderBook, Ranked } from '../book/order-book.ts';
import { stepAround } from '../price/arrival-rates.ts';
import { type Correction, correctedCurve } from './correction.ts';
import type { OrderFlow } from './order-flow.ts';
import type { Reliability } from './reliability.ts';
import { type ChanceByTime, type Queueing, startChances } from './start-chance.ts';

/** Waits are known up to this. */
export const HORIZON_S = 3_600;
/** With fewer orders than this that ended, nobody knows how long one runs. */
const ENDED_MIN = 5;
/** Where fewer wait, a few that gave up say little of how patient the others are. */
const AHEAD_MIN = 20;

/** Orders that bid from `price` up to the next point. */
interface OddsPoint {
  readonly price: PriceNano;
  /** Waiting orders that bid as much or more. */
  readonly ahead: number;
  /** Orders that come and bid as much or more, a second: of late, and usually. */
  readonly outbid: number;
  readonly outbidUsually: number;
  /** The share of those ahead that gives up in a second. */
  readonly givingUp: number;
}

/** One market at one moment. */
export interface MarketOdds {
  readonly atMs: number;
  readonly slots: number;
  readonly free: number;
  /** Nothing below it runs. */
  readonly reserve: PriceNano;
  /** How long an order runs; null while too few have ended. */
  readonly runMs: number | null;
  /** As of `OrderFlow`. */
  readonly burstiness: number;
  /** The lowest price first; the first is 0. The work ahead of an order never rises with the price. */
  readonly points: readonly OddsPoint[];
  /** As of `ShadowOrders`, by horizon. */
  readonly corrections: readonly Correction[];
  readonly reliability: readonly Reliability[];
}

/** Where the odds of markets come from. */
export interface OddsSource {
  /** Null for a model without a book, and while the gateway that has the book cannot be reached. */
  odds(model: string): Promise<MarketOdds | null>;
}

/** The figures of a market that do not follow from its flow and its book. */
type Standing = Omit<MarketOdds, 'runMs' | 'burstiness' | 'points'>;

/** Reads the odds of a market; for a bid alone, those of the only point that matters to it. */
export function oddsOf(
  standing: Standing,
  flow: OrderFlow,
  book: OrderBook<Ranked>,
  alone: PriceNano | null = null,
): MarketOdds {
  const { reserve } = standing;
  const prices =
    alone === null
      ? [...new Set([0, reserve, ...flow.bounds, ...stepAround(book.best()?.price ?? 0)])].sort((one, two) => one - two)
      : [Math.max(stepAround(alone)[0], Math.min(alone, reserve))];
  const points: OddsPoint[] = [];
  for (const price of prices) {
    const { now, usual, givenUp } = flow.above(price);
    const ahead = book.countAtOrAbove(price);
    const givingUp = givenUp / Math.max(AHEAD_MIN, ahead);
    points.push({ price, ahead, outbid: now, outbidUsually: usual, givingUp });
  }
  const { ranS, ended } = flow.runs;
  const runMs = ended < ENDED_MIN ? null : Math.max(1, (ranS * 1000) / ended);
  return { ...standing, runMs, burstiness: flow.burstiness, points };
}

/** The place of a price in the points. */
export function pointOf({ points }: MarketOdds, price: PriceNano): number {
  return Math.max(
    0,
    points.findLastIndex((point) => point.price <= price),
  );
}

/**
 * The chance by time that all of this many orders start, which are sent now and bid the price of this point; null while
 * nobody knows how long an order runs. What an account may hold at most is not in it.
 */
export function chancesAt(odds: MarketOdds, at: number, orders: number, horizonS: number): ChanceByTime | null {
  const queueing = queueingAt(odds, at, orders);
  if (queueing === null) return null;
  if (typeof queueing === 'number') return [{ withinS: 0, chance: queueing }];
  return correctedCurve(startChances(queueing, horizonS), odds.corrections);
}

/** The work that they queue behind; or their chance, if they start at once or never. Null as `chancesAt`. */
export function queueingAt(odds: MarketOdds, at: number, orders: number): Queueing | 0 | 1 | null {
  const { slots, free, reserve, runMs, burstiness } = odds;
  const point = odds.points[at];
  if (!point || point.price < reserve || slots === 0) return 0;
  const ahead = point.ahead + orders - 1;
  if (ahead < free) return 1;
  if (runMs === null) return null;
  const { outbid, outbidUsually, givingUp } = point;
  return { ahead, free, served: (slots * 1000) / runMs, outbid, outbidUsually, burstiness, givingUp };
}
