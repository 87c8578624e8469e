/** Which stretch of time and which buckets a range of the history means. Spec 4.9; docs/decisions/0012. */

const DAY_S = 86_400;

/** The ranges that are served. `bucketS` makes about two thousand points of each. */
const ranges = {
  '1h': { seconds: 3600, bucketS: 2 },
  '24h': { seconds: DAY_S, bucketS: 45 },
  '7d': { seconds: 7 * DAY_S, bucketS: 300 },
  '30d': { seconds: 30 * DAY_S, bucketS: 1320 },
} as const;

export type HistoryRange = keyof typeof ranges;

/** Widths of candles, in seconds. */
export const candleWidths = [60, 300, 900, 1800, 3600, 7200] as const;

/** A stretch of time in whole buckets, epoch seconds; the last bucket is the one of now. */
export interface Stretch {
  readonly bucketS: number;
  readonly fromS: number;
  readonly toS: number;
}

/** The range of this name; 24h for anything else. */
export function rangeNamed(name: string | null): HistoryRange {
  return name !== null && Object.hasOwn(ranges, name) ? (name as HistoryRange) : '24h';
}

/** The points of a range. */
export function historyStretch(range: HistoryRange, nowMs: number): Stretch {
  return stretch(range, ranges[range].bucketS, nowMs);
}

/** The candles of a range, as wide as the nearest choice at or below `wantedS`, else the smallest. */
export function candleStretch(range: HistoryRange, wantedS: number, nowMs: number): Stretch {
  return stretch(range, candleWidths.findLast((width) => width <= wantedS) ?? candleWidths[0], nowMs);
}

function stretch(range: HistoryRange, bucketS: number, nowMs: number): Stretch {
  const toS = (Math.floor(nowMs / 1000 / bucketS) + 1) * bucketS;
  const fromS = Math.floor((toS - ranges[range].seconds) / bucketS) * bucketS;
  return { bucketS, fromS, toS };
}
