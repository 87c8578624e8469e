/** Charts compared with a plain integration of the same levels, through gaps, restarts and months. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '#base/random.ts';
import { HOUR_MS } from '#base/time.ts';
import { historyStretch } from '#handlers/market-ranges.ts';
import { bucketsOf } from '#testing/charts.ts';
import { meanOf } from './level-candles.ts';
import { LevelChart } from './level-chart.ts';

const START_MS = Date.UTC(2026, 0, 1, 10, 20, 30, 400);

interface Stood {
  readonly level: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Consecutive levels, with occasional gaps in which nobody observed them. */
function days(random: Random, untilMs: number, stepMs: number): Stood[] {
  const stood: Stood[] = [];
  let level = 1e9;
  for (let atMs = START_MS; atMs < untilMs; ) {
    const toMs = Math.min(untilMs, atMs + Math.ceil(random.next() * 2 * stepMs));
    level = Math.round(level * (0.9 + 0.2 * random.next()));
    stood.push({ level, fromMs: atMs, toMs });
    atMs = random.next() < 0.02 ? toMs + Math.ceil(random.next() * 20 * stepMs) : toMs;
  }
  return stood;
}

/** A bucket by brute force; null when nobody observed any of it. */
function bucketOf(stood: readonly Stood[], fromMs: number, toMs: number) {
  const seen = stood.filter((one) => one.toMs > fromMs && one.fromMs < toMs);
  const first = seen[0];
  const last = seen.at(-1);
  if (!first || !last) return null;
  const levels = seen.map(({ level }) => level);
  let area = 0n;
  let coveredMs = 0;
  for (const { level, fromMs: from, toMs: to } of seen) {
    const ms = Math.min(to, toMs) - Math.max(from, fromMs);
    area += BigInt(level) * BigInt(ms);
    coveredMs += ms;
  }
  const mean = Number(area) / coveredMs;
  return { open: first.level, high: Math.max(...levels), low: Math.min(...levels), close: last.level, mean };
}

function assertSame(chart: LevelChart, stood: readonly Stood[], range: '1h' | '24h' | '7d' | '30d', nowMs: number) {
  const { fromS, toS, bucketS } = historyStretch(range, nowMs);
  const buckets = bucketsOf(chart, fromS * 1000, toS * 1000, bucketS * 1000);
  let seen = 0;
  for (let atMs = fromS * 1000; atMs < toS * 1000; atMs += bucketS * 1000) {
    const due = bucketOf(stood, atMs, atMs + bucketS * 1000);
    const span = buckets.get(atMs);
    assert.equal(span === undefined, due === null, `${range}: bucket at ${atMs}`);
    if (!span || !due) continue;
    seen++;
    const { open, high, low, close } = span;
    assert.deepEqual([open, high, low, close], [due.open, due.high, due.low, due.close], `${range}: ${atMs}`);
    assert.ok(Math.abs(meanOf(span) - due.mean) <= 1, `${range}: mean ${meanOf(span)} for ${due.mean}`);
  }
  assert.ok(seen > 0);
}

for (const seed of [1, 2, 3]) {
  test(`means and extremes match a plain integration, without the gaps (seed ${seed})`, () => {
    const nowMs = START_MS + 3 * HOUR_MS + 1234;
    const stood = days(seededRandom(seed), nowMs, 3000);
    const chart = new LevelChart();
    for (const { level, fromMs, toMs } of stood) chart.add(level, fromMs, toMs);
    for (const range of ['1h', '24h', '7d', '30d'] as const) assertSame(chart, stood, range, nowMs);
  });
}

test('a month of changes a minute apart matches too, and anything older than a month is gone', () => {
  const nowMs = START_MS + 40 * 24 * HOUR_MS;
  const stood = days(seededRandom(4), nowMs, 300_000);
  const chart = new LevelChart();
  for (const { level, fromMs, toMs } of stood) chart.add(level, fromMs, toMs);
  const recent = stood.filter(({ toMs }) => toMs > nowMs - 31 * 24 * HOUR_MS);
  assertSame(chart, recent, '7d', nowMs);
  assertSame(chart, recent, '30d', nowMs);
  const startMs = START_MS - (START_MS % 60_000);
  assert.equal(bucketsOf(chart, startMs, startMs + 60_000, 60_000).size, 0);
});

test('a level stands until the next one, even while nothing changes', () => {
  const chart = new LevelChart();
  chart.move(10, START_MS);
  chart.move(20, START_MS + 30_000);
  chart.move(99, START_MS + 20_000);
  chart.count(START_MS + 10 * HOUR_MS);
  const minutes = [...bucketsOf(chart, START_MS - (START_MS % 60_000), START_MS + 10 * HOUR_MS, 60_000)];
  assert.equal(minutes.length, 601);
  assert.equal(minutes.at(-1)?.[1].close, 99);
});

/** The same levels in two charts; the later one begins within a bucket of the earlier. */
function twoCharts(stood: readonly Stood[], cut: number): [early: LevelChart, late: LevelChart] {
  const charts: [LevelChart, LevelChart] = [new LevelChart(), new LevelChart()];
  for (const [index, { level, fromMs, toMs }] of stood.entries()) charts[index < cut ? 0 : 1].add(level, fromMs, toMs);
  return charts;
}

const twoHours = days(seededRandom(6), START_MS + 2 * HOUR_MS, 2000);
const twoHoursLaterMs = START_MS + 2 * HOUR_MS;

test('stored blocks come before what is in the chart, also within one bucket', () => {
  for (const cut of [100, 1000, 2000]) {
    const [early, late] = twoCharts(twoHours, cut);
    for (const block of early.blocks('m', START_MS, twoHoursLaterMs)) late.prepend(block);
    for (const range of ['1h', '24h', '7d'] as const) assertSame(late, twoHours, range, twoHoursLaterMs);
  }
});

test('so do blocks of a level that stood still for hours, before, across and after the cut', () => {
  const still = [1, 2, 3, 4, 5].map((hour) => ({
    level: hour < 4 ? 7 : 9,
    fromMs: START_MS + (hour - 1) * HOUR_MS,
    toMs: START_MS + hour * HOUR_MS,
  }));
  for (const cut of [1, 2, 4]) {
    const [early, late] = twoCharts(still, cut);
    for (const block of early.blocks('m', START_MS, START_MS + 5 * HOUR_MS)) late.prepend(block);
    for (const range of ['1h', '24h', '7d'] as const) assertSame(late, still, range, START_MS + 5 * HOUR_MS);
  }
});

test('so do blocks stored only by the minute, and single changes', () => {
  for (const cut of [100, 1000, 2000]) {
    const [early, late] = twoCharts(twoHours, cut);
    late.prependChanges(early);
    for (const block of early.blocks('m', START_MS, twoHoursLaterMs)) {
      if (block.widthMs === 60_000) late.prepend(block);
    }
    for (const range of ['1h', '24h', '7d'] as const) assertSame(late, twoHours, range, twoHoursLaterMs);
  }
});

test('a chart stores what was added to it and nothing that was prepended, early or late', () => {
  const [early, late] = twoCharts(twoHours, 1000);
  const stored = [...late.blocks('m', START_MS, twoHoursLaterMs)];
  const putLate = late;
  const putEarly = new LevelChart();
  for (const block of early.blocks('m', START_MS, twoHoursLaterMs)) {
    putLate.prepend(block);
    putEarly.prepend(block);
  }
  for (const { level, fromMs, toMs } of twoHours.slice(1000)) putEarly.add(level, fromMs, toMs);
  for (const chart of [putLate, putEarly]) {
    assert.deepEqual([...chart.blocks('m', START_MS, twoHoursLaterMs)], stored);
    for (const range of ['1h', '24h', '7d'] as const) assertSame(chart, twoHours, range, twoHoursLaterMs);
  }
});

test('blocks that the same gateway stored continue where they were cut off', () => {
  const [early] = twoCharts(twoHours, 1000);
  const again = new LevelChart();
  for (const block of early.blocks('m', START_MS, twoHoursLaterMs)) again.append(block);
  for (const { level, fromMs, toMs } of twoHours.slice(1000)) again.add(level, fromMs, toMs);
  const read = new LevelChart();
  for (const block of again.blocks('m', START_MS, twoHoursLaterMs)) read.prepend(block);
  for (const range of ['1h', '24h', '7d'] as const) assertSame(read, twoHours, range, twoHoursLaterMs);
});

test('stored blocks end at the stored end, even if the chart has later slots', () => {
  const cutMs = START_MS + 2 * HOUR_MS - 30_400;
  const chart = new LevelChart();
  for (const { level, fromMs, toMs } of twoHours) chart.add(level, fromMs, toMs);
  const again = new LevelChart();
  for (const block of chart.blocks('m', START_MS, cutMs)) again.append(block);
  const after = twoHours.filter(({ toMs }) => toMs > cutMs);
  for (const { level, fromMs, toMs } of after) again.add(level, Math.max(fromMs, cutMs), toMs);
  const minute = (one: LevelChart) => [...bucketsOf(one, cutMs - 60_000, twoHoursLaterMs, 60_000).entries()];
  const due = minute(chart).map(([atMs, span]) => [atMs, span.coveredMs, meanOf(span)]);
  assert.deepEqual(
    minute(again).map(([atMs, span]) => [atMs, span.coveredMs, meanOf(span)]),
    due,
  );
});

test('levels that another process saw after this one began, on a clock that stepped back, are ignored', () => {
  const [one, two] = [new LevelChart(), new LevelChart()];
  one.add(10, START_MS, START_MS + 300_000);
  two.add(20, START_MS + 100_000, START_MS + 300_000);
  for (const block of one.blocks('m', START_MS, START_MS + 300_000)) two.prepend(block);
  const minutes = bucketsOf(two, START_MS - (START_MS % 60_000), START_MS + 300_000, 60_000);
  assert.deepEqual(
    [...minutes.values()].map(({ open, close, coveredMs }) => [open, close, coveredMs]),
    [
      [10, 10, 29_600],
      [10, 10, 60_000],
      [10, 20, 60_000 + 49_600],
      [20, 20, 60_000],
      [20, 20, 60_000],
      [20, 20, 30_400],
    ],
  );
});
