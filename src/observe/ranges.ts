/** The time ranges of statistics, and their buckets. Spec 4.9. */
import { DAY_MS } from '#base/time.ts';
import { STATISTICS_BUCKET_MS, type StatisticsWindow } from './ports.ts';

const ranges = {
  '24h': { lengthMs: DAY_MS, bucketMs: STATISTICS_BUCKET_MS },
  '7d': { lengthMs: 7 * DAY_MS, bucketMs: 4 * STATISTICS_BUCKET_MS },
  '30d': { lengthMs: 30 * DAY_MS, bucketMs: 16 * STATISTICS_BUCKET_MS },
} as const;

export type StatisticsRange = keyof typeof ranges;

/** The last 90 days of UTC, by the day; the last one is today. */
export function daysWindow(nowMs: number): StatisticsWindow {
  const toMs = nowMs - (nowMs % DAY_MS) + DAY_MS;
  return { fromMs: toMs - 90 * DAY_MS, toMs, bucketMs: DAY_MS };
}

/** The whole buckets of a range. The last one contains the current moment. */
export function windowOf(range: StatisticsRange, nowMs: number): StatisticsWindow {
  const { lengthMs, bucketMs } = ranges[range];
  const toMs = nowMs - (nowMs % bucketMs) + bucketMs;
  return { fromMs: toMs - lengthMs, toMs, bucketMs };
}
