/** Checks of the public market data: levels, quotes, history, candles, uptime and statistics. */
import assert from 'node:assert/strict';
import {
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
  timeIn,
} from './check.ts';
import { isFixed, isPreview, listed, otherModel } from './discovery.ts';
import { Absent, type Gateway, type Json } from './gateway.ts';

const NO_KEY = { authorization: '' };

/** What an address of the market answers about the model under check. */
async function of(gateway: Gateway, path: string, query: Record<string, string> = {}): Promise<Json> {
  if (isFixed(await listed(gateway))) throw new Absent('a fixed price');
  const address = `${path}?${new URLSearchParams({ model: gateway.model, ...query })}`;
  return gateway.once(address, async () => jsonWith(await gateway.present(gateway.get(address, NO_KEY)), 200));
}

const level = (gateway: Gateway) => of(gateway, '/v1/market');
const quote = (gateway: Gateway) => of(gateway, '/v1/market/price-lock');
const history = (gateway: Gateway) => of(gateway, '/v1/market/history', { range: '1h' });
const candles = (gateway: Gateway) => of(gateway, '/v1/market/ohlc', { range: '24h', bucket: '60' });
const uptime = (gateway: Gateway) => of(gateway, '/v1/uptime', { range: '24h' });
const tokens = (gateway: Gateway) => of(gateway, '/v1/stats/tokens', { range: '24h' });
const ranking = (gateway: Gateway) => of(gateway, '/v1/stats/models', { range: '24h' });

/** The prices per kind of token follow from a price at the reference mix and the ratio of the model. */
async function isSplit(gateway: Gateway, json: Json, price: number): Promise<void> {
  const ratio = objectIn(await listed(gateway), 'pricing_ratio');
  const [cached, uncached, output] = ['cached', 'uncached', 'output'].map((name) => countIn(ratio, name)) as [
    number,
    number,
    number,
  ];
  const mix = 0.9 * cached + 0.1 * uncached + 0.02 * output;
  for (const [name, share] of Object.entries({ cached, uncached, output })) {
    const wanted = (price * share) / mix;
    const shown = countIn(objectIn(json, 'usd_per_million'), name);
    assert.ok(Math.abs(shown - wanted) <= 2e-9 + wanted * 1e-9, `${name} is ${shown} instead of ${wanted}`);
  }
}

export const market = [
  marketCheck('4.9-11 2.8-1', 'the level of a model, with its mode and its time', async (gateway) => {
    const json = await level(gateway);
    isEqual(json, 'model', gateway.model);
    countIn(json, 'level');
    isOneOf(json, 'mode', ['clearing', 'preview']);
    timeIn(json, 'updated_at');
  }),
  marketCheck('2.8-1', 'a level says whether it is degraded, and whether it is a preview', async (gateway) => {
    for (const name of ['degraded', 'preview']) isOneOf(await level(gateway), name, [true, false]);
  }),
  marketCheck('2.8-1 1-11 1-12', 'the prices of a level follow from it and the ratio', async (gateway) =>
    isSplit(gateway, await level(gateway), countIn(await level(gateway), 'level')),
  ),
  marketCheck('4.9-1', 'without a model the level is that of the default model', async (gateway) => {
    const { default: first } = jsonWith(await gateway.get('/v1/models'), 200);
    isEqual(jsonWith(await gateway.get('/v1/market', NO_KEY), 200), 'model', first);
  }),
  marketCheck('4.9-3 7-7', 'the level of a model that is not served is 400 unknown_model', async (gateway) =>
    refused(await gateway.get('/v1/market?model=no-such-model', NO_KEY), 400, 'unknown_model'),
  ),
  marketCheck(
    '4.9-4 7-8',
    'the level of a fixed-price model is 400, and points to the list of models',
    async (gateway) => {
      const id = await otherModel(gateway, isFixed);
      const { message } = refused(await gateway.get(`/v1/market?model=${id}`, NO_KEY), 400, 'fixed_price_model');
      assert.match(message, /\/v1\/models/);
    },
  ),
  marketCheck('4.9-5 1-25', 'a preview market answers with preview: true', async (gateway) => {
    const id = await otherModel(gateway, isPreview);
    isEqual(jsonWith(await gateway.get(`/v1/market?model=${id}`, NO_KEY), 200), 'preview', true);
  }),
  marketCheck('4.9-38', 'a preview market is never degraded', async (gateway) => {
    const id = await otherModel(gateway, isPreview);
    isEqual(jsonWith(await gateway.get(`/v1/market?model=${id}`, NO_KEY), 200), 'degraded', false);
  }),
  marketCheck('4.9-12', 'the levels of all markets have that of the model', async (gateway) => {
    const levels = listIn(jsonWith(await gateway.market(), 200), 'levels');
    const own = levels.find(({ model }) => model === gateway.model);
    assert.ok(own || isFixed(await listed(gateway)), `${gateway.model} is missing`);
    for (const each of levels) countIn(each, 'level');
  }),
  marketCheck('4.9-13', 'the levels of all markets leave fixed-price models out', async (gateway) => {
    const id = await otherModel(gateway, isFixed);
    const levels = listIn(jsonWith(await gateway.market(), 200), 'levels');
    assert.ok(!levels.some(({ model }) => model === id), `${id} has a level`);
  }),
  marketCheck('4.9-16 2.8-2', 'a quote has every field', async (gateway) =>
    hasFields(
      await quote(gateway),
      ...['price', 'previous_price', 'usd_per_million', 'valid_until', 'valid_for_ms', 'interval_ms'],
      ...['execute_window_seconds', 'clear_rate', 'clear_rate_window_ms', 'target_start_rate'],
    ),
  ),
  marketCheck('2.8-2', 'the prices of a quote follow from it and the ratio', async (gateway) =>
    isSplit(gateway, await quote(gateway), countIn(await quote(gateway), 'price')),
  ),
  marketCheck('4.9-41 4.9-42', 'a quote holds for a while, and no longer than its window', async (gateway) => {
    const json = await quote(gateway);
    timeIn(json, 'valid_until');
    assert.ok(countIn(json, 'valid_for_ms') <= countIn(json, 'interval_ms'), 'it holds longer than its window');
  }),
  marketCheck('4.9-43 1-18', 'a lock has ten seconds to start', async (gateway) =>
    isEqual(await quote(gateway), 'execute_window_seconds', 10),
  ),
  marketCheck('4.9-44 4.9-45', 'the clear rate is a share, or null', async (gateway) => {
    const json = await quote(gateway);
    if (json.clear_rate !== null) assert.ok(countIn(json, 'clear_rate') <= 1, `it is ${json.clear_rate}`);
    assert.ok(countIn(json, 'clear_rate_window_ms') > 0);
  }),
  marketCheck('4.9-46', 'the target of the quote is a share', async (gateway) =>
    assert.ok(countIn(await quote(gateway), 'target_start_rate') <= 1, 'it is over 1'),
  ),
  marketCheck('4.9-47', 'the quote of a preview has no clear rate', async (gateway) => {
    const id = await otherModel(gateway, isPreview);
    isEqual(jsonWith(await gateway.get(`/v1/market/price-lock?model=${id}`, NO_KEY), 200), 'clear_rate', null);
  }),
  marketCheck('4.9-18 4.9-19', 'the history has its range, its bucket, its bounds and its points', async (gateway) => {
    const json = await history(gateway);
    isEqual(json, 'range', '1h');
    countIn(json, 'current');
    assert.ok(epochSecondsIn(json, 'from') < epochSecondsIn(json, 'to'), 'from is not before to');
  }),
  marketCheck('2.8-3', 'a point of the history has a time and a level', async (gateway) => {
    const times = listIn(await history(gateway), 'points').map((point) => {
      countIn(point, 'level');
      return timeIn(point, 't');
    });
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
      'they are not in order',
    );
  }),
  marketCheck('4.9-19', 'the bounds of the history lie on its bucket', async (gateway) => {
    const { from, to, bucket_seconds: bucket } = await history(gateway);
    assert.deepEqual([Number(from) % Number(bucket), Number(to) % Number(bucket)], [0, 0]);
  }),
  marketCheck('4.9-21', 'a range of the history holds about two thousand points', async (gateway) => {
    const most = 3600 / countIn(await history(gateway), 'bucket_seconds');
    assert.ok(most >= 1000 && most <= 4000, `an hour has ${most}`);
  }),
  marketCheck('4.9-19', 'an unknown range of the history is served as 24h', async (gateway) =>
    isEqual(await of(gateway, '/v1/market/history', { range: 'soon' }), 'range', '24h'),
  ),
  marketCheck('4.9-23', 'candles name the buckets that one may choose', async (gateway) =>
    isEqual(await candles(gateway), 'bucket_choices', [60, 300, 900, 1800, 3600, 7200]),
  ),
  marketCheck('4.9-24', 'the bucket of candles is lowered to a choice', async (gateway) =>
    isEqual(await of(gateway, '/v1/market/ohlc', { bucket: '1000' }), 'bucket_seconds', 900),
  ),
  marketCheck('4.9-25', 'a bucket of candles that is too small or none is the smallest', async (gateway) => {
    for (const bucket of ['7', 'wide']) isEqual(await of(gateway, '/v1/market/ohlc', { bucket }), 'bucket_seconds', 60);
  }),
  marketCheck('2.8-4', 'a candle lies between its low and its high', async (gateway) => {
    for (const candle of listIn(await candles(gateway), 'candles')) {
      epochSecondsIn(candle, 't');
      for (const name of ['open', 'close', 'mean']) {
        const value = countIn(candle, name);
        assert.ok(value >= Number(candle.low) && value <= Number(candle.high), `${name} is ${value}`);
      }
    }
  }),
  marketCheck('4.9-26 4.9-27', 'uptime has its range, its interval and its buckets', async (gateway) => {
    const json = await uptime(gateway);
    isEqual(json, 'range', '24h');
    for (const name of ['bucket_seconds', 'interval_ms']) assert.ok(countIn(json, name) > 0, name);
    listIn(json, 'buckets');
    for (const name of ['checks_running', 'degraded']) isOneOf(json, name, [true, false]);
  }),
  marketCheck('4.9-49', 'the summary of uptime has its counts and its times', async (gateway) => {
    const summary = objectIn(await uptime(gateway), 'summary');
    assert.ok(countIn(summary, 'failures') <= countIn(summary, 'total'), 'more failed than were tried');
    const times = ['avg_ms', 'max_ms', 'avg_queue_ms', 'max_queue_ms', 'avg_pipeline_ms', 'max_pipeline_ms'];
    hasFields(summary, ...times);
  }),
  marketCheck('4.9-49', 'the share of uptime follows from its counts, and is null without any', async (gateway) => {
    const summary = objectIn(await uptime(gateway), 'summary');
    const [total, failures] = [countIn(summary, 'total'), countIn(summary, 'failures')];
    if (total === 0) return isEqual(summary, 'uptime_pct', null);
    const share = (100 * (total - failures)) / total;
    assert.ok(Math.abs(countIn(summary, 'uptime_pct') - share) < 0.1, `it is ${summary.uptime_pct}, not ${share}`);
  }),
  marketCheck('4.9-27', 'an unknown range of uptime is served as 24h', async (gateway) =>
    isEqual(await of(gateway, '/v1/uptime', { range: 'soon' }), 'range', '24h'),
  ),
  marketCheck('4.9-2', 'uptime without a model is that of all', async (gateway) =>
    isEqual(jsonWith(await gateway.present(gateway.get('/v1/uptime', NO_KEY)), 200), 'model', null),
  ),
  marketCheck(
    '4.9-28 4.9-29',
    'token statistics have their range, their bounds and a series for each model',
    async (gateway) => {
      const json = await tokens(gateway);
      isEqual(json, 'range', '24h');
      assert.ok(epochSecondsIn(json, 'from') < epochSecondsIn(json, 'to'), 'from is not before to');
      listIn(json, 'series');
    },
  ),
  marketCheck('4.9-56 4.9-57', 'tokens from the cache are part of the input', async (gateway) => {
    for (const { points } of listIn(await tokens(gateway), 'series'))
      for (const point of points as Json[])
        isEqual(point, 'input_tokens', countIn(point, 'cached_tokens') + countIn(point, 'miss_tokens'));
  }),
  marketCheck('4.9-30', 'model statistics have the default model and the order of the list', async (gateway) => {
    const { default: first, data } = jsonWith(await gateway.get('/v1/models'), 200);
    isEqual(await ranking(gateway), 'default', first);
    isEqual(
      await ranking(gateway),
      'models',
      (data as Json[]).map(({ id }) => id),
    );
  }),
  marketCheck('4.9-58 4.9-62', 'model statistics have a row for each model, with every field', async (gateway) => {
    const json = await ranking(gateway);
    const rows = listIn(json, 'data');
    assert.deepEqual(rows.map(({ model }) => model).toSorted(), listIn(json, 'models').toSorted());
    for (const row of rows) hasFields(row, 'level', 'pricing', 'degraded', 'preview', 'miss_tokens', 'requests');
  }),
  marketCheck('4.9-62', 'the tokens of a row are its input and its output', async (gateway) => {
    for (const row of listIn(await ranking(gateway), 'data'))
      isEqual(row, 'total_tokens', countIn(row, 'input_tokens') + countIn(row, 'output_tokens'));
  }),
  marketCheck('4.9-59 4.9-61', 'the top of model statistics is its first row, a market', async (gateway) => {
    const json = await ranking(gateway);
    const first = firstOf(json, 'data');
    isEqual(json, 'top', first.model);
    isEqual(first, 'pricing', 'market');
  }),
  marketCheck('4.9-60 4.9-62', 'fixed-price models follow the markets, without a level', async (gateway) => {
    const rows = listIn(await ranking(gateway), 'data');
    const fixed = rows.filter(({ pricing }) => pricing === 'fixed');
    if (fixed.length === 0) throw new Absent('no fixed price');
    assert.deepEqual(rows.slice(-fixed.length), fixed, 'a market follows them');
    for (const row of fixed) isEqual(row, 'level', null);
  }),
];

/** The first event of a stream of the market, without its keepalives. */
async function opened(gateway: Gateway, path: string): Promise<Json> {
  const { status, headers, text } = await gateway.present(gateway.firstEvent(path));
  assert.equal(status, 200, `${status} instead of 200: ${text.slice(0, 200)}`);
  assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.doesNotMatch(text, /^event:/m, 'an event has a name');
  return JSON.parse(/^data: ?(.*)$/m.exec(text)?.[1] ?? '');
}

async function withModel(gateway: Gateway, path: string): Promise<string> {
  if (isFixed(await listed(gateway))) throw new Absent('a fixed price');
  return `${path}?model=${encodeURIComponent(gateway.model)}`;
}

export const marketStreams = [
  marketCheck('4.9-14 6.1-1 6-2', 'the stream of a market opens with its level', async (gateway) => {
    const frame = await opened(gateway, await withModel(gateway, '/v1/market/stream'));
    countIn(frame, 'level');
    objectIn(frame, 'usd_per_million');
    timeIn(frame, 'updated_at');
  }),
  marketCheck('4.9-15 6.1-2 6-2', 'the stream of levels opens with every market', async (gateway) => {
    const frame = await opened(gateway, '/v1/market/levels/stream');
    const known = listIn(jsonWith(await gateway.market(), 200), 'levels').map(({ model }) => model);
    assert.deepEqual(
      listIn(frame, 'levels')
        .map(({ model }) => model)
        .toSorted(),
      known.toSorted(),
    );
    for (const each of listIn(frame, 'levels')) timeIn(each, 'updated_at');
  }),
  marketCheck('4.9-17 6.1-5 6-2', 'the stream of quotes opens with the quote', async (gateway) => {
    const frame = await opened(gateway, await withModel(gateway, '/v1/market/price-lock/stream'));
    countIn(frame, 'price');
    hasFields(frame, 'previous_price', 'usd_per_million');
    timeIn(frame, 'valid_until');
  }),
  marketCheck('6.1-6', 'the frames of a preview say that it is one', async (gateway) => {
    const id = await otherModel(gateway, isPreview);
    isEqual(await opened(gateway, `/v1/market/stream?model=${id}`), 'preview', true);
  }),
  marketCheck('4.9-3', 'the stream of a model that is not served is 400 unknown_model', async (gateway) =>
    refused(await gateway.firstEvent('/v1/market/stream?model=no-such-model'), 400, 'unknown_model'),
  ),
];
