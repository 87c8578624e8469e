import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Listings } from '#market/listing.ts';
import type { StatisticsWindow, TokenSum, TokenSumBucket } from '#observe/ports.ts';
import { jsonOf, testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { marketListing, someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { statisticsHandlers } from './statistics.ts';

const nowMs = Date.UTC(2026, 0, 2, 12, 7);
const bucketMs = Date.UTC(2026, 0, 2, 12);

const sum = (model: string, earned: bigint): TokenSum => ({
  model,
  tokens: { uncached: 20, cached: 100, output: 7 },
  requests: 2,
  earned,
});
const bucket = (model: string, atMs = bucketMs): TokenSumBucket => ({ ...sum(model, 1n), atMs });

/** The handlers over a store of these sums and buckets, and the queries of the store. */
function over(kept: { sums?: TokenSum[]; buckets?: TokenSumBucket[] }, listings = someListings()) {
  const asked: { models: readonly string[]; window: StatisticsWindow }[] = [];
  const handlers = statisticsHandlers({
    listings,
    market: {
      current: (model) =>
        listings.find(model)?.type === 'fixed'
          ? null
          : {
              model,
              level: 420_000_000,
              levelSeq: 1,
              mode: 'clearing',
              degraded: false,
              updatedAtMs: 0,
              preview: false,
            },
      quote: () => null,
    },
    ready: { degraded: (model) => model === 'gone-3b' },
    tokens: {
      buckets: async (models, window) => {
        asked.push({ models, window });
        return kept.buckets ?? [];
      },
      sums: async (models, window) => {
        asked.push({ models, window });
        return kept.sums ?? [];
      },
    },
    clock: new ManualClock(nowMs),
  });
  const tokens = async (query: Record<string, string> = {}) =>
    conforming(
      'getTokenStatistics 200',
      jsonOf(await handlers.getTokenStatistics(testCall('getTokenStatistics', { query }))) as {
        range: string;
        series: object[];
      },
    );
  const models = async (query: Record<string, string> = {}) =>
    conforming(
      'getModelStatistics 200',
      jsonOf(await handlers.getModelStatistics(testCall('getModelStatistics', { query }))) as {
        range: string;
        top: string | null;
        models: string[];
        data: { model: string; requests: number }[];
      },
    );
  return { tokens, models, asked };
}

test('tokens are shown by model and bucket, cached ones as part of the input', async () => {
  const { tokens } = over({ buckets: [bucket('rock-8b'), bucket('tide-70b')] });
  const point = {
    t: bucketMs / 1000,
    input_tokens: 120,
    cached_tokens: 100,
    miss_tokens: 20,
    output_tokens: 7,
    requests: 2,
  };
  assert.deepEqual(await tokens(), {
    range: '24h',
    model: null,
    bucket_seconds: 900,
    from: bucketMs / 1000 + 900 - 86_400,
    to: bucketMs / 1000 + 900,
    series: [
      { model: 'tide-70b', points: [point] },
      { model: 'rock-8b', points: [point] },
    ],
  });
});

test('a model is found by id or alias, and shown under its real id', async () => {
  const { tokens, asked } = over({});
  assert.partialDeepStrictEqual(await tokens({ model: 'tide', range: '7d' }), { model: 'tide-70b', range: '7d' });
  assert.deepEqual(
    asked.map(({ models, window }) => [models, window.bucketMs]),
    [[['tide-70b'], 3_600_000]],
  );
});

test('an unknown model is refused, and an unknown range is a day', async () => {
  const { tokens, models } = over({});
  await assert.rejects(tokens({ model: 'nobody' }), { code: 'unknown_model', status: 400 });
  assert.equal((await tokens({ range: 'ever' })).range, '24h');
  assert.equal((await models({ range: '1h' })).range, '24h');
});

test('models are ranked by revenue, fixed-price ones last, and idle ones are rows of zeros', async () => {
  const { models } = over({ sums: [sum('rock-8b', 900n), sum('gone-3b', 50n), sum('tide-70b', 30n)] });
  const { data, ...envelope } = await models();
  assert.deepEqual(envelope, {
    range: '24h',
    top: 'gone-3b',
    default: 'tide-70b',
    models: ['tide-70b', 'rock-8b', 'soon-1b', 'gone-3b'],
  });
  assert.deepEqual(data, [
    row('gone-3b', { degraded: true }),
    row('tide-70b'),
    row('soon-1b', { preview: true, ...ZEROS }),
    row('rock-8b', { level: null, pricing: 'fixed' }),
  ]);
});

test('a preview shows zeros and ranks as if without revenue, whatever it sold before', async () => {
  const { models } = over({ sums: [sum('soon-1b', 900n), sum('tide-70b', 1n)] });
  const { top, data } = await models();
  assert.equal(top, 'tide-70b');
  assert.equal(data.find(({ model }) => model === 'soon-1b')?.requests, 0);
});

test('equal models are in the configured order, and without a market there is no top', async () => {
  const fixed = new Listings(
    [marketListing({ id: 'b', type: 'fixed' }), marketListing({ id: 'a', type: 'fixed' })],
    'b',
  );
  const { top, data } = await over({}, fixed).models();
  assert.equal(top, null);
  assert.deepEqual(
    data.map(({ model }) => model),
    ['b', 'a'],
  );
});

const ZEROS = { input_tokens: 0, cached_tokens: 0, miss_tokens: 0, output_tokens: 0, total_tokens: 0, requests: 0 };

function row(model: string, more: object = {}) {
  return {
    model,
    level: 0.42,
    pricing: 'market',
    degraded: false,
    preview: false,
    input_tokens: 120,
    cached_tokens: 100,
    miss_tokens: 20,
    output_tokens: 7,
    total_tokens: 127,
    requests: 2,
    ...more,
  };
}
