/** Collects what a chart shows, for tests that compare it as a whole. */

import type { LevelSpan } from '#market/data/level-candles.ts';
import type { LevelChart } from '#market/data/level-chart.ts';

/** What the chart knows of each bucket from `fromMs` to before `toMs`, by start time, oldest first. */
export function bucketsOf(chart: LevelChart, fromMs: number, toMs: number, bucketMs: number): Map<number, LevelSpan> {
  const buckets = new Map<number, LevelSpan>();
  chart.each(fromMs, toMs, bucketMs, (atMs, span) => buckets.set(atMs, { ...span }));
  return buckets;
}
