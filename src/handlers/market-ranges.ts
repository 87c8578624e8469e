/** The period and the bucket width of each range of a market's history. Spec 4.9; docs/decisions/0012. */

const DAY_S = 86_400;
const SPARKLINE_BUCKET_S = 1800;

/** The ranges served. `bucketS` gives each about two thousand points. */
const ranges = {
  '1h': { seconds: 3600, bucketS: 2 },
  '24h': { seconds: DAY_S, bucketS: 45 },
  '7d': { seconds: 7 * DAY_S, bucketS: 300 },
  '30d': { seconds: 30 * DAY_S, bucketS: 1320 },
} as const;

export type HistoryRange = keyof typeof ranges;

/** Widths of candles, in seconds. */
export const candleWidths = [60, 300, 900, 1800, 3600, 7200] as const;
export type CandleWidth = (typeof candleWidths)[number];

/** A period in whole buckets, in epoch seconds. The last bucket contains the current moment. */
export interface Stretch {
  readonly bucketS: number;
  readonly fromS: number;
  readonly toS: number;
}

/** The period and buckets of a range's points. */
export function historyStretch(range: HistoryRange, nowMs: number): Stretch {
  return stretchOf(range, ranges[range].bucketS, nowMs);
}

/** The ranges of past locks, whose outcomes are kept for a day by the minute. */
const lockBucketS = { '1h': 60, '24h': 900 } as const;

export type LockRange = keyof typeof lockBucketS;

/** The period and buckets of a range of past locks. */
export function lockStretch(range: LockRange, nowMs: number): Stretch {
  return stretchOf(range, lockBucketS[range], nowMs);
}

/** The last 24 hours in 48 buckets. */
export function sparklineStretch(nowMs: number): Stretch {
  return stretchOf('24h', SPARKLINE_BUCKET_S, nowMs);
}

/** The period of a range in buckets of this width, such as candles. */
export function stretchOf(range: HistoryRange, bucketS: number, nowMs: number): Stretch {
  const toS = (Math.floor(nowMs / 1000 / bucketS) + 1) * bucketS;
  const fromS = Math.floor((toS - ranges[range].seconds) / bucketS) * bucketS;
  return { bucketS, fromS, toS };
}
