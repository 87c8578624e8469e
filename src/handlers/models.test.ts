import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tariffOf } from '#ledger/tariff.ts';
import { Listings } from '#market/listing.ts';
import { jsonOf, testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { marketListing, someListings } from '#testing/listings.ts';
import { modelsHandlers } from './models.ts';

const { listModels, getModel } = modelsHandlers({ listings: someListings() });
const get = async (model: string) =>
  conforming('getModel 200', jsonOf(await getModel(testCall('getModel', { params: { model } }))));

test('the list names the default and the reference mix, and omits deprecated models', async () => {
  const reply = await listModels(testCall('listModels'));
  assert.equal(reply.status, 200);
  assert.equal(reply.headers?.['cache-control'], 'public, max-age=60');
  const { data, ...envelope } = conforming('listModels 200', jsonOf(reply)) as { data: { id: string }[] };
  assert.deepEqual(envelope, {
    object: 'list',
    default: 'tide-70b',
    reference_mix: { cached_share: 0.9, uncached_share: 0.1, output_per_input: 0.02 },
  });
  assert.deepEqual(
    data.map((entry) => entry.id),
    ['tide-70b', 'rock-8b', 'soon-1b'],
  );
});

test('a market model has weights and no static price', async () => {
  assert.deepEqual(await get('tide-70b'), {
    id: 'tide-70b',
    object: 'model',
    created: 1_767_225_600,
    owned_by: 'sluice',
    display_name: 'Tide 70B',
    x_aliases: ['tide'],
    context_length: 131_072,
    max_output_length: 32_768,
    pricing_ratio: { cached: 0.1, uncached: 1, output: 4 },
    pricing: { type: 'market' },
    reserve: 0,
    preview: false,
  });
});

test('a fixed-price model has its prices per million, at the mix, and per token as decimal strings', async () => {
  assert.partialDeepStrictEqual(await get('rock-8b'), {
    pricing_ratio: { cached: 0.1, uncached: 1.25, output: 4 },
    pricing: {
      type: 'fixed',
      usd_per_million: { cached: 0.1, uncached: 1.25, output: 4 },
      level: 0.295,
      prompt: '0.00000125',
      completion: '0.000004',
      input_cache_read: '0.0000001',
    },
  });
});

test('a market shows its reserve in the unit of a price limit, a fixed-price model shows none', async () => {
  const one = new Listings([marketListing({ reserve: 1_250_000_000 })], 'tide-70b');
  const reply = await modelsHandlers({ listings: one }).listModels(testCall('listModels'));
  const { data } = conforming('listModels 200', jsonOf(reply)) as { data: { reserve: number }[] };
  assert.equal(data[0]?.reserve, 1.25);
  assert.ok(!('reserve' in ((await get('rock-8b')) as object)));
});

test('prices per token never have an exponent', async () => {
  const tariff = tariffOf('fixed', { cached: '0', uncached: '0.000000001', output: '123456789.5' });
  const one = new Listings([marketListing({ type: 'fixed', tariff })], 'tide-70b');
  const reply = await modelsHandlers({ listings: one }).getModel(
    testCall('getModel', { params: { model: 'tide-70b' } }),
  );
  assert.partialDeepStrictEqual(jsonOf(reply), {
    pricing: { prompt: '0.000000000000001', completion: '123.4567895', input_cache_read: '0' },
  });
});

test('a whole number of dollars per token keeps its zeros', async () => {
  const tariff = tariffOf('fixed', { cached: '10000000', uncached: '100000000', output: '0' });
  const one = new Listings([marketListing({ type: 'fixed', tariff })], 'tide-70b');
  const reply = await modelsHandlers({ listings: one }).getModel(
    testCall('getModel', { params: { model: 'tide-70b' } }),
  );
  assert.partialDeepStrictEqual(jsonOf(reply), { pricing: { prompt: '100', input_cache_read: '10' } });
});

test('an alias is shown under its own name, with the model that it names', async () => {
  assert.partialDeepStrictEqual(await get('tide'), { id: 'tide', x_alias_of: 'tide-70b', display_name: 'Tide 70B' });
  assert.ok(!Object.hasOwn((await get('tide-70b')) as object, 'x_alias_of'));
});

test('a preview and a deprecated model are marked', async () => {
  assert.partialDeepStrictEqual(await get('soon-1b'), { preview: true });
  assert.partialDeepStrictEqual(await get('gone-3b'), { id: 'gone-3b', deprecated: true });
});

test('an unknown model is 404', async () => {
  await assert.rejects(get('nobody'), { code: 'model_not_found', status: 404 });
  await assert.rejects(get('constructor'), { status: 404 });
});
