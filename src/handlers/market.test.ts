import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarketSnapshot, QuoteSnapshot } from '#market/ports.ts';
import { jsonOf, testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketHandlers } from './market.ts';

const snapshot = (model: string, more: Partial<MarketSnapshot> = {}): MarketSnapshot => ({
  model,
  level: 420_000_000,
  levelSeq: 3,
  mode: 'clearing',
  degraded: false,
  updatedAtMs: Date.UTC(2026, 0, 1),
  preview: false,
  ...more,
});
const snapshots: Record<string, MarketSnapshot> = {
  'tide-70b': snapshot('tide-70b'),
  'soon-1b': snapshot('soon-1b', { level: 0, mode: 'preview', preview: true }),
  'gone-3b': snapshot('gone-3b', { degraded: true }),
};
const quote: QuoteSnapshot = {
  model: 'tide-70b',
  quoteSeq: 1,
  price: 450_000_000,
  previousPrice: null,
  validUntilMs: Date.UTC(2026, 0, 1, 0, 0, 10),
  clearRate: 0.962,
  scarceClearRate: 0.951,
  attainable: true,
  preview: false,
};
const { getMarket, listLevels, getPriceLock } = marketHandlers({
  listings: someListings(),
  market: {
    current: (model) => snapshots[model] ?? null,
    quote: (model) => ({ ...quote, preview: model === 'soon-1b' }),
  },
  quotes: { intervalMs: 10_000, targetStartRate: 0.95, executeWindowMs: 10_000 },
  clock: new ManualClock(Date.UTC(2026, 0, 1, 0, 0, 7)),
});
const market = async (query: Record<string, string> = {}) =>
  conforming('getMarket 200', jsonOf(await getMarket(testCall('getMarket', { query }))));

test('the level of the default model, with prices of the three kinds of token', async () => {
  assert.deepEqual(await market(), {
    model: 'tide-70b',
    level: 0.42,
    usd_per_million: { cached: 0.155555556, uncached: 1.555555556, output: 6.222222222 },
    mode: 'clearing',
    degraded: false,
    updated_at: '2026-01-01T00:00:00.000Z',
    preview: false,
  });
});

test('a market is found by an alias and shown under its real id', async () => {
  assert.deepEqual(await market({ model: 'tide' }), await market());
});

test('a preview shows its simulated level, which may be 0', async () => {
  const prices = { cached: 0, uncached: 0, output: 0 };
  assert.partialDeepStrictEqual(await market({ model: 'soon-1b' }), {
    level: 0,
    usd_per_million: prices,
    mode: 'preview',
    preview: true,
  });
});

test('the level of a deprecated market can still be read', async () => {
  assert.partialDeepStrictEqual(await market({ model: 'gone-3b' }), { degraded: true });
});

test('an unknown model and a fixed-price model are refused', async () => {
  await assert.rejects(market({ model: 'nobody' }), { code: 'unknown_model', status: 400 });
  await assert.rejects(market({ model: 'rock-8b' }), { code: 'fixed_price_model', status: 400 });
});

test('the levels of all markets omit fixed-price models and mark previews', async () => {
  const json = jsonOf(await listLevels(testCall('listLevels')));
  assert.deepEqual(conforming('listLevels 200', json), {
    levels: [
      { model: 'tide-70b', level: 0.42 },
      { model: 'soon-1b', level: 0, preview: true },
      { model: 'gone-3b', level: 0.42 },
    ],
  });
});

const priceLock = async (query: Record<string, string> = {}) =>
  conforming('getPriceLock 200', jsonOf(await getPriceLock(testCall('getPriceLock', { query }))));

test('a quote has prices per kind of token and the end of its window', async () => {
  assert.deepEqual(await priceLock(), {
    price: 0.45,
    previous_price: null,
    usd_per_million: { cached: 0.166666667, uncached: 1.666666667, output: 6.666666667 },
    valid_until: '2026-01-01T00:00:10.000Z',
    valid_for_ms: 3000,
    interval_ms: 10_000,
    execute_window_seconds: 10,
    clear_rate: 0.962,
    scarce_clear_rate: 0.951,
    attainable: true,
    clear_rate_window_ms: 86_400_000,
    target_start_rate: 0.95,
  });
});

test('the quote of a preview is marked', async () => {
  assert.partialDeepStrictEqual(await priceLock({ model: 'soon-1b' }), { preview: true });
});

test('a quote is refused for a model without a market', async () => {
  await assert.rejects(priceLock({ model: 'nobody' }), { code: 'unknown_model', status: 400 });
  await assert.rejects(priceLock({ model: 'rock-8b' }), { code: 'fixed_price_model', status: 400 });
});
