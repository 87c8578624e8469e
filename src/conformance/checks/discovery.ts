/**
 * Checks of what a gateway says about itself without a key: models, limits, health, discovery, the catalog of partners.
 */
import assert from 'node:assert/strict';
import {
  check,
  countIn,
  epochSecondsIn,
  firstOf,
  hasFields,
  isEqual,
  isOneOf,
  jsonWith,
  listIn,
  marketCheck,
  objectIn,
  refused,
  textIn,
} from './check.ts';
import { Absent, type Gateway, type Json } from './gateway.ts';

const NO_KEY = { authorization: '' };

/** An open address, which has to be there; Absent where it is not. */
const open = async (gateway: Gateway, path: string) => jsonWith(await gateway.present(gateway.get(path, NO_KEY)), 200);
const models = (gateway: Gateway) => gateway.once('models', async () => jsonWith(await gateway.get('/v1/models'), 200));

/** The entry of the model under check. */
export async function listed(gateway: Gateway): Promise<Json> {
  const entry = listIn(await models(gateway), 'data').find(({ id }) => id === gateway.model);
  assert.ok(entry, `GET /v1/models has no ${gateway.model}`);
  return entry;
}

/** Another model of this kind; Absent where none is listed. */
export async function otherModel(gateway: Gateway, isOne: (entry: Json) => boolean): Promise<string> {
  const found = listIn(await models(gateway), 'data').find(isOne);
  if (!found) throw new Absent('no model of this kind');
  return String(found.id);
}

export const isFixed = ({ pricing, preview }: Json) => (pricing as Json)?.type === 'fixed' && !preview;
export const isPreview = ({ preview }: Json) => preview === true;

const partners = (gateway: Gateway) =>
  gateway.once('partners', () => gateway.present(gateway.get('/partner/v1/models', NO_KEY)));
const limits = (gateway: Gateway) => gateway.once('limits', () => open(gateway, '/v1/rate-limits'));
const health = (gateway: Gateway) => gateway.once('health', () => gateway.present(gateway.get('/healthz', NO_KEY)));

export const discovery = [
  check('4.9-6', 'GET /v1/models lists models with their ids', async (gateway) => {
    const list = await models(gateway);
    isEqual(list, 'object', 'list');
    textIn(firstOf(list, 'data'), 'id');
  }),
  check('2.7-1', 'a model has its type, its time and its owner', async (gateway) => {
    const entry = await listed(gateway);
    isEqual(entry, 'object', 'model');
    epochSecondsIn(entry, 'created');
    textIn(entry, 'owned_by');
  }),
  marketCheck('2.7-1', 'a model has a name to display', async (gateway) =>
    textIn(await listed(gateway), 'display_name'),
  ),
  marketCheck('2.7-2', 'a model has the lengths of its context and of its output', async (gateway) => {
    const entry = await listed(gateway);
    for (const name of ['context_length', 'max_output_length']) assert.ok(Number.isInteger(entry[name]), name);
  }),
  marketCheck('2.7-3', 'a model has a ratio of three numbers', async (gateway) => {
    const ratio = objectIn(await listed(gateway), 'pricing_ratio');
    for (const name of ['cached', 'uncached', 'output']) countIn(ratio, name);
  }),
  marketCheck('2.7-5', 'every model says whether its price is of a market or fixed', async (gateway) => {
    for (const entry of listIn(await models(gateway), 'data'))
      isOneOf(objectIn(entry, 'pricing'), 'type', ['market', 'fixed']);
  }),
  marketCheck('2.7-4 2.7-7', 'a fixed-price model has three prices, which are its ratio', async (gateway) => {
    const id = await otherModel(gateway, isFixed);
    const { pricing, pricing_ratio: ratio } =
      listIn(await models(gateway), 'data').find((entry) => entry.id === id) ?? {};
    isEqual(pricing as Json, 'usd_per_million', ratio);
  }),
  marketCheck('2.7-8', 'the level of a fixed-price model is its prices at the reference mix', async (gateway) => {
    const id = await otherModel(gateway, isFixed);
    const entry = listIn(await models(gateway), 'data').find((other) => other.id === id) ?? {};
    const prices = objectIn(entry, 'pricing_ratio');
    const mix = 0.9 * countIn(prices, 'cached') + 0.1 * countIn(prices, 'uncached') + 0.02 * countIn(prices, 'output');
    assert.ok(Math.abs(countIn(objectIn(entry, 'pricing'), 'level') - mix) <= 1e-9, `the level is not ${mix}`);
  }),
  marketCheck('2.7-9', 'a fixed-price model has its prices per token as decimal strings', async (gateway) => {
    const id = await otherModel(gateway, isFixed);
    const { pricing } = listIn(await models(gateway), 'data').find((entry) => entry.id === id) ?? {};
    for (const name of ['prompt', 'completion', 'input_cache_read'])
      assert.match(textIn(pricing as Json, name), /^\d+(?:\.\d+)?$/);
  }),
  marketCheck('2.7-14', 'the list names its default model, which is in it', async (gateway) => {
    const list = await models(gateway);
    assert.ok(
      listIn(list, 'data').some(({ id }) => id === list.default),
      `default is ${list.default}`,
    );
  }),
  marketCheck('2.7-14 1-11', 'the list has the shares of the reference mix', async (gateway) =>
    isEqual(await models(gateway), 'reference_mix', { cached_share: 0.9, uncached_share: 0.1, output_per_input: 0.02 }),
  ),
  marketCheck('5-4', 'models are listed without a key', async (gateway) =>
    jsonWith(await gateway.get('/v1/models', NO_KEY), 200),
  ),
  marketCheck('4.9-7', 'a model that is asked for by id is the one in the list', async (gateway) =>
    assert.deepEqual(await open(gateway, `/v1/models/${encodeURIComponent(gateway.model)}`), await listed(gateway)),
  ),
  marketCheck('4.9-8', 'a model that is not served is 404 model_not_found', async (gateway) =>
    refused(await gateway.get('/v1/models/no-such-model', NO_KEY), 404, 'model_not_found'),
  ),
  marketCheck('9-5', 'GET /openapi.json describes the interface', async (gateway) => {
    const document = await open(gateway, '/openapi.json');
    textIn(document, 'openapi');
    assert.ok('/v1/chat/completions' in objectIn(document, 'paths'), 'the document has no chat');
  }),
  marketCheck('4.9-33', 'GET /api/hello is 200', async (gateway) => open(gateway, '/api/hello')),
  marketCheck('4.9-33', 'HEAD /api/hello is 200 without a body', async (gateway) => {
    const { status, text } = await gateway.send('HEAD', '/api/hello', NO_KEY);
    assert.deepEqual([status, text], [200, '']);
  }),
  marketCheck('4.9-34 9-2', 'GET /v1/limits redirects to the rate limits with 308', async (gateway) => {
    const { status, headers } = await gateway.get('/v1/limits', NO_KEY);
    assert.equal(status, 308);
    assert.match(headers.get('location') ?? '', /\/v1\/rate-limits$/);
  }),
  marketCheck('4.9-9', 'the limits are published', async (gateway) =>
    assert.ok(Object.keys(await limits(gateway)).length > 3, 'there are hardly any'),
  ),
  marketCheck('4.9-10', 'the limits say how long the output of a batch is kept at least', async (gateway) =>
    countIn(objectIn(await limits(gateway), 'batch'), 'min_retention_days'),
  ),
  marketCheck('4.9-70', 'health has the database, the market, the queue and the pods', async (gateway) =>
    hasFields(
      (await health(gateway)).json ?? {},
      ...['ok', 'db', 'market_loop', 'role', 'level', 'queued', 'inflight', 'backend_healthy', 'pods', 'healthy_pods'],
    ),
  ),
  marketCheck('4.9-71', 'health is 200 and ok', async (gateway) =>
    isEqual(jsonWith(await health(gateway), 200), 'ok', true),
  ),
  marketCheck('4.9-31 2.9-16', 'the catalog of partners says of each model whether it is ready', async (gateway) => {
    for (const entry of listIn(jsonWith(await partners(gateway), 200), 'data'))
      isOneOf(entry, 'is_ready', [true, false]);
  }),
  marketCheck('2.9-17', 'the catalog of partners says whether data is kept', async (gateway) =>
    isOneOf(objectIn(firstOf(jsonWith(await partners(gateway), 200), 'data'), 'compliance'), 'zdr', [true, false]),
  ),
  marketCheck('2.9-15 4.9-64', 'the catalog of partners has its prices as decimal strings', async (gateway) => {
    const prices = [...(await partners(gateway)).text.matchAll(/"(?:cost_usd|prompt|completion)":\s*("?[^",}]*"?)/g)];
    assert.ok(prices.length > 0, 'there are no prices');
    for (const [, price] of prices) assert.match(price ?? '', /^"\d+(?:\.\d+)?"$/);
  }),
  marketCheck(
    '4.9-68',
    'the catalog of partners says until when its prices hold, and for how long each does',
    async (gateway) => {
      const { headers } = await partners(gateway);
      assert.match(headers.get('cache-control') ?? '', /max-age=\d+/);
      assert.ok(Date.parse(headers.get('x-price-valid-until') ?? '') > 0, 'there is no X-Price-Valid-Until');
      assert.ok(Number(headers.get('x-price-window-seconds')) > 0, 'there is no X-Price-Window-Seconds');
    },
  ),
  marketCheck('4.9-66', 'the catalog of partners leaves previews out', async (gateway) => {
    const preview = await otherModel(gateway, isPreview);
    const ids = listIn(jsonWith(await partners(gateway), 200), 'data').map(({ id }) => id);
    assert.ok(!ids.includes(preview), `${preview} is in it`);
  }),
];
