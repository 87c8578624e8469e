import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LevelChart } from '#market/data/level-chart.ts';
import type { MarketSnapshot } from '#market/ports.ts';
import { jsonOf, testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketHistoryHandlers } from './market-history.ts';

const NOON_MS = Date.UTC(2026, 0, 1, 12);
const clock = new ManualClock(NOON_MS + 100_000);

function chart(): LevelChart {
  const levels = new LevelChart();
  levels.move(2e9, NOON_MS + 30_000);
  levels.move(4e9, NOON_MS + 80_000);
  levels.count(clock.nowMs());
  return levels;
}

const snapshot = (model: string): MarketSnapshot => ({
  model,
  level: 4e9,
  levelSeq: 2,
  mode: model === 'soon-1b' ? 'preview' : 'clearing',
  degraded: false,
  updatedAtMs: NOON_MS,
  preview: model === 'soon-1b',
});
const { getMarketHistory, getMarketCandles } = marketHistoryHandlers({
  listings: someListings(),
  market: { current: snapshot, quote: () => null },
  charts: { chart: async () => chart() },
  clock,
});
const history = async (query: Record<string, string>) =>
  conforming('getMarketHistory 200', jsonOf(await getMarketHistory(testCall('getMarketHistory', { query }))));
const candles = async (query: Record<string, string>) =>
  conforming('getMarketCandles 200', jsonOf(await getMarketCandles(testCall('getMarketCandles', { query }))));

test('history has the mean level of each known bucket, weighted by time', async () => {
  assert.deepEqual(await history({}), {
    range: '24h',
    model: 'tide-70b',
    bucket_seconds: 45,
    from: NOON_MS / 1000 + 135 - 86_400,
    to: NOON_MS / 1000 + 135,
    current: 4,
    points: [
      { t: '2026-01-01T12:00:00.000Z', level: 2 },
      { t: '2026-01-01T12:00:45.000Z', level: 2.444444444 },
      { t: '2026-01-01T12:01:30.000Z', level: 4 },
    ],
  });
});

test('candles cover what is known of each bucket', async () => {
  assert.deepEqual(await candles({ range: '1h', bucket: '250' }), {
    range: '1h',
    model: 'tide-70b',
    bucket_seconds: 60,
    bucket_choices: [60, 300, 900, 1800, 3600, 7200],
    current: 4,
    candles: [
      { t: NOON_MS / 1000, open: 2, high: 2, low: 2, close: 2, mean: 2 },
      { t: NOON_MS / 1000 + 60, open: 2, high: 4, low: 2, close: 4, mean: 3 },
    ],
  });
});

test('a preview is marked in both', async () => {
  assert.partialDeepStrictEqual(await history({ model: 'soon-1b' }), { preview: true });
  assert.partialDeepStrictEqual(await candles({ model: 'soon-1b' }), { preview: true });
});

test('an unknown model and a fixed-price model are refused', async () => {
  for (const ask of [history, candles]) {
    await assert.rejects(ask({ model: 'nobody' }), { code: 'unknown_model', status: 400 });
    await assert.rejects(ask({ model: 'rock-8b' }), { code: 'fixed_price_model', status: 400 });
  }
});
