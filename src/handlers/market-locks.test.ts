import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { QuoteSnapshot } from '#market/ports.ts';
import type { LockStretch } from '#observe/ports.ts';
import { testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { marketLocksHandlers } from './market-locks.ts';

const NOW_MS = Date.UTC(2026, 0, 2, 12, 7);

/** The handler over one bucket, and the stretches that were read. */
function handlers() {
  const asked: LockStretch[] = [];
  const clock = new ManualClock(NOW_MS);
  const { getMarketLocks } = marketLocksHandlers({
    listings: someListings(),
    market: { current: () => null, quote: () => ({ quoteSeq: 20_000 }) as QuoteSnapshot },
    quotes: { intervalMs: 10_000 },
    locks: {
      async buckets(stretch) {
        asked.push(stretch);
        const quotes = { windows: 6, mean: 300_000_000, low: 200_000_000, high: 400_000_000 };
        return [
          { atMs: NOW_MS - MINUTE_MS, ...quotes, started: 2, missed: 1 },
          { atMs: NOW_MS, ...quotes, started: 0, missed: 0 },
        ];
      },
    },
    clock,
  });
  const get = async (query: Record<string, string> = {}) => {
    const reply = await getMarketLocks(testCall({ query }));
    assert.ok('raw' in reply);
    return conforming('getMarketLocks 200', JSON.parse(String(reply.raw)) as { points: object[] });
  };
  return { get, asked, clock };
}

test('a bucket has its quotes in dollars and the share of locks that started, null without locks', async () => {
  const { points } = await handlers().get();
  const prices = { windows: 6, price: 0.3, low: 0.2, high: 0.4 };
  assert.deepEqual(points, [
    { t: (NOW_MS - MINUTE_MS) / 1000, ...prices, locks: 3, started: 2, started_share: 0.6667 },
    { t: NOW_MS / 1000, ...prices, locks: 0, started: 0, started_share: null },
  ]);
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
