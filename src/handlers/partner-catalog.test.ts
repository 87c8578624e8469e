import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Catalog } from '#generated/schemas/configuration-types.ts';
import type { components } from '#generated/types.ts';
import { tariffOf } from '#ledger/tariff.ts';
import { type Listing, Listings } from '#market/listing.ts';
import { jsonOf, testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { marketListing, someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { aggregatable, aggregatableFlat } from '#testing/provider-schema.ts';
import { partnerCatalogHandlers } from './partner-catalog.ts';

const nowMs = Date.UTC(2026, 0, 2, 12, 0, 3, 400);
const fixed = { type: 'fixed', tariff: tariffOf('fixed', { cached: '0.1', uncached: '1.25', output: '4' }) } as const;

const noFacts: Catalog = { datacenters: [], compliance: { zdr: false } };

interface Offer {
  readonly listings?: Listings;
  readonly quotes?: Readonly<Record<string, { price?: number; endsMs?: number }>>;
  readonly facts?: Readonly<Record<string, Partial<Catalog>>>;
  readonly ready?: readonly Listing[];
}

/** The catalog over these listings; a quote of `price` ends after `endsMs`, by model. */
async function catalogOf(offer: Offer) {
  const { headers, json } = await replyOf(offer);
  const { data } = aggregatable(json);
  return { headers, data, entry: (id: string) => data.find((one) => one.id === id) ?? assert.fail(id) };
}

/** The same in the flat form. */
async function flatCatalogOf(offer: Offer) {
  const { headers, json } = await replyOf(offer, { format: 'flat' });
  const { data } = aggregatableFlat(json);
  return { headers, data, entry: (id: string) => data.find((one) => one.id === id) ?? assert.fail(id) };
}

/** Its headers and its JSON, which keeps to the document. */
async function replyOf(
  { listings = someListings(), quotes = {}, facts = {}, ready = listings.all }: Offer,
  query: Readonly<Record<string, string>> = {},
) {
  const { getPartnerCatalog } = partnerCatalogHandlers({
    listings,
    catalogs: new Map(Object.entries(facts).map(([model, some]) => [model, { ...noFacts, ...some }])),
    market: {
      quote: (model) => ({
        model,
        quoteSeq: 1,
        price: quotes[model]?.price ?? 450_000_000,
        previousPrice: null,
        validUntilMs: nowMs + (quotes[model]?.endsMs ?? 6_600),
        clearRate: null,
        scarceClearRate: null,
        attainable: null,
        preview: false,
      }),
    },
    ready: { ready: () => ready.filter(({ deprecated }) => !deprecated) },
    quotes: { intervalMs: 10_000 },
    clock: new ManualClock(nowMs),
  });
  const reply = await getPartnerCatalog(testCall('getPartnerCatalog', { query }));
  return { headers: reply.headers ?? {}, json: conforming('getPartnerCatalog 200', jsonOf(reply)) };
}

function costs(entry: components['schemas']['PartnerModel']): Record<string, string> {
  const prices = [...entry.input_modalities, ...entry.output_modalities].flatMap(({ pricing }) => pricing ?? []);
  return Object.fromEntries(prices.map(({ type, cost_usd }) => [type, cost_usd]));
}

test('previews are omitted; deprecated models stay, not ready, with a date in the past', async () => {
  const { data } = await catalogOf({});
  assert.deepEqual(
    data.map(({ id, is_ready, deprecation_date }) => [id, is_ready, deprecation_date]),
    [
      ['tide-70b', true, undefined],
      ['rock-8b', true, undefined],
      ['gone-3b', false, '2026-01-01'],
    ],
  );
});

test('a complete entry', async () => {
  const { entry } = await catalogOf({});
  assert.deepEqual(entry('rock-8b'), {
    schema_version: '2.4',
    id: 'rock-8b',
    name: 'Tide 70B',
    created: 1_767_225_600,
    input_modalities: [
      {
        type: 'text',
        supported_inputs: { max_context_length: { value: 131_072, unit: 'token' } },
        pricing: [
          { type: 'prompt', unit: 'token', cost_usd: '0.00000125' },
          { type: 'cached_prompt', unit: 'token', cost_usd: '0.0000001' },
        ],
      },
    ],
    output_modalities: [
      {
        type: 'text',
        supported_parameters: {
          max_tokens: { type: 'integer', min: 1, max: 32_768 },
          temperature: { type: 'range', min: 0, max: 2 },
          top_p: { type: 'range', min: 0, max: 1 },
          stop: { type: 'array', max_items: 4 },
        },
        max_length: { value: 32_768, unit: 'token' },
        streaming: true,
        pricing: [{ type: 'completion', unit: 'token', cost_usd: '0.000004' }],
      },
    ],
    is_ready: true,
    compliance: { zdr: false },
  });
});

test('prices of a market follow its quote and ratio, and at the reference mix they sum to the quote', async () => {
  for (const price of [0, 1, 7, 450_000_000, 99_999_999_999, 1_000_000_000_000_000]) {
    const { entry } = await catalogOf({ quotes: { 'tide-70b': { price } } });
    const { prompt = '', cached_prompt = '', completion = '' } = costs(entry('tide-70b'));
    for (const text of [prompt, cached_prompt, completion]) assert.match(text, /^\d+(\.\d+)?$/);
    // In units of 10^-15 USD per token, which are nano-dollars per 1M tokens.
    const nano = (text: string) => {
      const [whole = '', fraction = ''] = text.split('.');
      return BigInt(whole + fraction.padEnd(15, '0'));
    };
    const mixed = 45n * nano(cached_prompt) + 5n * nano(prompt) + nano(completion);
    const off = mixed - 50n * BigInt(price);
    assert.ok(off >= -26n && off <= 26n, `${price}: off by ${off} fiftieths`);
    // The ratio is 0.1 : 1 : 4, each price rounded by itself.
    const near = (a: bigint, b: bigint) => assert.ok(a - b <= 5n && b - a <= 5n, `${price}: ${a} and ${b}`);
    near(10n * nano(cached_prompt), nano(prompt));
    near(4n * nano(prompt), nano(completion));
  }
});

test('it may be cached until the first quote of its markets ends', async () => {
  const listings = new Listings(
    [marketListing({ id: 'a' }), marketListing({ id: 'b' }), marketListing({ id: 'c', preview: true })],
    'a',
  );
  const { headers } = await catalogOf({
    listings,
    quotes: { a: { endsMs: 6_600 }, b: { endsMs: 4_900 }, c: { endsMs: 10 } },
  });
  assert.partialDeepStrictEqual(headers, {
    'cache-control': 'public, max-age=4',
    'x-price-valid-until': new Date(nowMs + 4_900).toISOString(),
    'x-price-window-seconds': '10',
  });
});

test('with fixed prices only it may be cached until the next window would begin', async () => {
  const { headers } = await catalogOf({ listings: new Listings([marketListing({ id: 'a', ...fixed })], 'a') });
  assert.equal(headers['x-price-valid-until'], '2026-01-02T12:00:10.000Z');
  assert.equal(headers['cache-control'], 'public, max-age=6');
});

test('an overdue quote must not be cached', async () => {
  const { headers } = await catalogOf({ quotes: { 'tide-70b': { endsMs: -20 } } });
  assert.equal(headers['cache-control'], 'public, max-age=0');
});

test('a model without pods is not ready', async () => {
  const { entry } = await catalogOf({ ready: [] });
  assert.equal(entry('tide-70b').is_ready, false);
});

test('what the operator configured for a model is shown', async () => {
  const { entry } = await catalogOf({
    facts: {
      'tide-70b': {
        hugging_face_id: 'tide/70b',
        quantization: 'fp8',
        datacenters: [{ country_code: 'DE', region: 'eu-1' }, { country_code: 'IS' }],
        compliance: { zdr: true, hipaa: false },
        supported_parameters: { tools: { type: 'array' } },
        deprecation_date: '2027-01-01',
      },
    },
  });
  const [output] = entry('tide-70b').output_modalities;
  assert.deepEqual(output?.supported_parameters, { tools: { type: 'array' } });
  assert.partialDeepStrictEqual(entry('tide-70b'), {
    hugging_face_id: 'tide/70b',
    quantization: 'fp8',
    datacenters: [{ country_code: 'DE', region: 'eu-1' }, { country_code: 'IS' }],
    compliance: { zdr: true, hipaa: false },
    deprecation_date: '2027-01-01',
    is_ready: true,
  });
});

test('a deprecated model keeps an announced date in the past, but not one in the future', async () => {
  const dated = async (deprecation_date: string) =>
    (await catalogOf({ facts: { 'gone-3b': { deprecation_date } } })).entry('gone-3b').deprecation_date;
  assert.equal(await dated('2025-06-30'), '2025-06-30');
  assert.equal(await dated('2027-01-01'), '2026-01-01');
});

test('a complete entry in the flat form', async () => {
  const { entry } = await flatCatalogOf({});
  assert.deepEqual(entry('rock-8b'), {
    id: 'rock-8b',
    name: 'Tide 70B',
    created: 1_767_225_600,
    input_modalities: ['text'],
    output_modalities: ['text'],
    context_length: 131_072,
    max_output_length: 32_768,
    pricing: {
      prompt: '0.00000125',
      completion: '0.000004',
      image: '0',
      request: '0',
      input_cache_read: '0.0000001',
    },
    supported_sampling_parameters: ['temperature', 'top_p', 'stop'],
    supported_features: [],
    is_ready: true,
  });
});

test('both forms have the same models, readiness, prices and cache time', async () => {
  for (const price of [0, 1, 450_000_000, 1_000_000_000_000_000]) {
    const offer = { quotes: { 'tide-70b': { price } }, ready: someListings().all.slice(1) };
    const [full, flat] = [await catalogOf(offer), await flatCatalogOf(offer)];
    assert.deepEqual({ ...flat.headers, etag: '' }, { ...full.headers, etag: '' });
    assert.notEqual(flat.headers.etag, full.headers.etag);
    const told = full.data.map((entry) => {
      const { prompt, completion, cached_prompt } = costs(entry);
      const pricing = { prompt, completion, image: '0', request: '0', input_cache_read: cached_prompt };
      return [entry.id, entry.is_ready, entry.deprecation_date, pricing];
    });
    assert.deepEqual(
      flat.data.map(({ id, is_ready, deprecation_date, pricing }) => [id, is_ready, deprecation_date, pricing]),
      told,
    );
  }
});

test('the flat form has parameters by name, some of them as features', async () => {
  const any = { type: 'unknown' } as const;
  const names = ['seed', 'stop', 'tools', 'tool_choice', 'response_format', 'top_logprobs', 'reasoning_effort', 'mood'];
  const supported_parameters = Object.fromEntries(names.map((name) => [name, any]));
  const datacenters = [{ country_code: 'DE' }];
  const facts = { hugging_face_id: 'tide/70b', quantization: 'bf16', datacenters, supported_parameters } as const;
  const { entry } = await flatCatalogOf({ facts: { 'tide-70b': facts } });
  assert.partialDeepStrictEqual(entry('tide-70b'), {
    hugging_face_id: 'tide/70b',
    quantization: 'bf16',
    datacenters: [{ country_code: 'DE' }],
    supported_sampling_parameters: ['stop', 'seed'],
    supported_features: ['tools', 'json_mode', 'reasoning'],
  });
});

test('an unknown format is refused, an empty one counts as none', async () => {
  await assert.rejects(replyOf({}, { format: 'round' }), { code: 'invalid_request', param: 'format' });
  assert.deepEqual(await replyOf({}, { format: '' }), await replyOf({}));
});
