import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { QuoteSnapshot } from '#market/ports.ts';
import type { LockStretch } from '#observe/ports.ts';
import { testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketLocksHandlers } from './market-history.ts';

const NOW_MS = Date.UTC(2026, 0, 2, 12, 7);

/** The handler over one bucket, and the stretches that were read. */
function handlers() {
  const asked: LockStretch[] = [];
  const clock = new ManualClock(NOW_MS);
  const { getMarketLocks } = marketLocksHandlers({
    listings: someListings(),
    market: { current: () => null, quote: () => ({ quoteSeq: 20_000 }) as QuoteSnapshot },
    quotes: { intervalMs: 10_000 },
    locks: async (stretch) => {
      asked.push(stretch);
      const quotes = { windows: 6, mean: 300_000_000, low: 200_000_000, high: 400_000_000 };
      const at = (buckets: number) => ({ atMs: stretch.toMs - buckets * stretch.bucketMs, ...quotes });
      return [
        { ...at(5), started: 28, missed: 2 },
        { ...at(4), started: 29, missed: 0 },
        { ...at(3), started: 0, missed: 30 },
        { ...at(2), started: 30, missed: 0 },
        { ...at(1), started: 30, missed: 0 },
      ];
    },
    clock,
  });
  const get = async (query: Record<string, string> = {}) => {
    const reply = await getMarketLocks(testCall('getMarketLocks', { query }));
    assert.ok('raw' in reply);
    return conforming('getMarketLocks 200', JSON.parse(String(reply.raw)) as { points: object[] });
  };
  return { get, asked, clock };
}

const NONE = { locks: null, started: null, started_share: null };

test('a bucket has its quotes in dollars, and the share of at least thirty locks once the next bucket has ended', async () => {
  const { points } = await handlers().get();
  const toS = Date.UTC(2026, 0, 2, 12, 15) / 1000;
  const prices = { windows: 6, price: 0.3, low: 0.2, high: 0.4 };
  assert.deepEqual(points, [
    { t: toS - 4500, ...prices, locks: 30, started: 28, started_share: 0.9333 },
    { t: toS - 3600, ...prices, ...NONE },
    { t: toS - 2700, ...prices, locks: 30, started: 0, started_share: 0 },
    { t: toS - 1800, ...prices, ...NONE },
    { t: toS - 900, ...prices, ...NONE },
  ]);
});

test('by the minute no locks are shown: less the minutes, a quarter would have a few', async () => {
  const { points } = await handlers().get({ range: '1h' });
  assert.equal(points.length, 5);
  for (const point of points) assert.partialDeepStrictEqual(point, NONE);
});

test('no more windows are read than the range has', async () => {
  const { get, asked } = handlers();
  await get({ range: '1h' });
  await get({ range: '24h' });
  assert.deepEqual(
    asked.map(({ fromMs, toMs, bucketMs, afterSeq }) => [toMs - fromMs, bucketMs, 20_000 - afterSeq]),
    [
      [HOUR_MS, MINUTE_MS, 360],
      [DAY_MS, 15 * MINUTE_MS, 8640],
    ],
  );
});

test('whatever is asked, a market is read once in ten seconds for each of two ranges', async () => {
  const { get, asked, clock } = handlers();
  for (let turn = 0; turn < 300; turn++) await get({ model: turn % 2 ? 'tide' : 'tide-70b', range: `${turn}h` });
  assert.equal(asked.length, 2);
  for (let name = 0; name < 100; name++) await assert.rejects(get({ model: `m${name}` }), { code: 'unknown_model' });
  await assert.rejects(get({ model: 'rock' }), { code: 'fixed_price_model' });
  assert.equal(asked.length, 2);
  await clock.advance(10_000);
  await get();
  assert.equal(asked.length, 3);
});
