import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarketSnapshot } from '#market/ports.ts';
import { someListings, testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import type { JsonReply } from './call.ts';
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
const { getMarket, listLevels } = marketHandlers({
  listings: someListings(),
  market: { current: (model) => snapshots[model] ?? null },
});
const market = async (query: Record<string, string> = {}) =>
  conforming('getMarket 200', ((await getMarket(testCall({ query }))) as JsonReply).json);

test('the level of the default model, shared out over the three token kinds', async () => {
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

test('a market is found by alias and told under its real id', async () => {
  assert.deepEqual(await market({ model: 'tide' }), await market());
});

test('a preview answers from its simulated level, which may be 0', async () => {
  const prices = { cached: 0, uncached: 0, output: 0 };
  assert.partialDeepStrictEqual(await market({ model: 'soon-1b' }), {
    level: 0,
    usd_per_million: prices,
    mode: 'preview',
    preview: true,
  });
});

test('a deprecated market can still be read', async () => {
  assert.partialDeepStrictEqual(await market({ model: 'gone-3b' }), { degraded: true });
});

test('an unserved model and a fixed-price model are refused', async () => {
  await assert.rejects(market({ model: 'nobody' }), { code: 'unknown_model', status: 400 });
  await assert.rejects(market({ model: 'rock-8b' }), { code: 'fixed_price_model', status: 400 });
});

test('the levels of all markets leave fixed-price models out and mark previews', async () => {
  const { json } = (await listLevels(testCall())) as JsonReply;
  assert.deepEqual(conforming('listLevels 200', json), {
    levels: [
      { model: 'tide-70b', level: 0.42 },
      { model: 'soon-1b', level: 0, preview: true },
      { model: 'gone-3b', level: 0.42 },
    ],
  });
});
