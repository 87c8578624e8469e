/** The stretches of time that statistics are told for, and their buckets. Spec 4.9. */
import { STATISTICS_BUCKET_MS, type Window } from './ports.ts';

const DAY_MS = 86_400_000;

const ranges = {
  '24h': { lengthMs: DAY_MS, bucketMs: STATISTICS_BUCKET_MS },
  '7d': { lengthMs: 7 * DAY_MS, bucketMs: 4 * STATISTICS_BUCKET_MS },
  '30d': { lengthMs: 30 * DAY_MS, bucketMs: 16 * STATISTICS_BUCKET_MS },
} as const;

export type StatisticsRange = keyof typeof ranges;

/** The range of this name; 24h for anything else. */
export function statisticsRange(name: string | null): StatisticsRange {
  return name !== null && Object.hasOwn(ranges, name) ? (name as StatisticsRange) : '24h';
}

/** The whole buckets of a range that ends with the bucket of now. */
export function windowOf(range: StatisticsRange, nowMs: number): Window {
  const { lengthMs, bucketMs } = ranges[range];
  const toMs = nowMs - (nowMs % bucketMs) + bucketMs;
  return { fromMs: toMs - lengthMs, toMs, bucketMs };
}
