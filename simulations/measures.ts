/** What a simulated market counts while it trades, and the figures computed from it. */
import { HOUR_MS } from '#base/time.ts';

/** The outcomes of orders in a period. Prices are whole nano-dollars, times milliseconds. */
export interface Measures {
  arrived: number;
  started: number;
  waitedMs: number;
  /** Locks whose limit was above the quote, resolved. */
  locksStarted: number;
  locksMissed: number;
  /** All locks that started, including those with low limits, and what they paid in total, price times slot time. */
  locksServed: number;
  lockPrices: number;
  /** Price times slot time in USD and hours. */
  revenue: number;
  /** What unmeasured orders paid, and the slot time that they and the others used. */
  attackCost: number;
  attackSlotMs: number;
  othersSlotMs: number;
  busySlotMs: number;
  levelArea: number;
  quoteArea: number;
  elapsedMs: number;
}

/** Before anything happened. */
export function nothingMeasured(): Measures {
  const orders = {
    arrived: 0,
    started: 0,
    waitedMs: 0,
    locksStarted: 0,
    locksMissed: 0,
    locksServed: 0,
    lockPrices: 0,
  };
  return {
    ...orders,
    revenue: 0,
    attackCost: 0,
    attackSlotMs: 0,
    othersSlotMs: 0,
    busySlotMs: 0,
    levelArea: 0,
    quoteArea: 0,
    elapsedMs: 0,
  };
}

/** Several periods as one. */
export function sumOf(parts: readonly Measures[]): Measures {
  const sum = nothingMeasured();
  for (const part of parts) for (const name of Object.keys(sum) as (keyof Measures)[]) sum[name] += part[name];
  return sum;
}

/** The figures of reports. USD and seconds; NaN without data. */
export function figuresOf(measures: Measures, slots: number) {
  const { elapsedMs, locksStarted, locksMissed } = measures;
  return {
    occupancy: measures.busySlotMs / (elapsedMs * slots),
    level: measures.levelArea / elapsedMs / 1e9,
    quote: measures.quoteArea / elapsedMs / 1e9,
    clearRate: locksStarted / (locksStarted + locksMissed),
    locksStarted,
    locksServed: measures.locksServed,
    lockPrice: measures.lockPrices / measures.locksServed / 1e9,
    waitS: measures.waitedMs / measures.started / 1000,
    revenuePerHour: (measures.revenue * HOUR_MS) / elapsedMs,
    /** What a slot earned from others while they held it, as a price. */
    othersPaid: measures.revenue / (measures.othersSlotMs / HOUR_MS),
    attackCostPerHour: (measures.attackCost * HOUR_MS) / elapsedMs,
    /** The attacker's share of all slot time. */
    attackShare: measures.attackSlotMs / (elapsedMs * slots),
  };
}

export type Figures = ReturnType<typeof figuresOf>;
