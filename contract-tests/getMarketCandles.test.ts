import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itHasARate, itKeepsItsAnswer, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const CHOICES = [60, 300, 900, 1800, 3600, 7200];

describe('GET /v1/market/ohlc', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getMarketCandles', { query, key: null });
  // First, before the history of earlier processes has been read.
  itSurvivesAnOutage(server, 'getMarketCandles');
  itHasARate('public_requests_per_minute_per_address', 'getMarketCandles');
  itKeepsItsAnswer(server, 'getMarketCandles', { seconds: /^1$/ });

  it('200 a bucket snaps to the nearest choice at or below it, else to the smallest', async () => {
    const width = async (bucket: string) => (await get({ bucket })).body(200).bucket_seconds;
    const wanted = ['60', '61', '300', '899', '900', '3599', '7200', '86400', '1', '0', '-300', 'wide', ''];
    const widths = [60, 60, 300, 300, 900, 1800, 7200, 7200, 60, 60, 60, 60, 60];
    assert.deepEqual(await Promise.all(wanted.map(width)), widths);
    const absent = (await get()).body(200);
    assert.equal(absent.bucket_seconds, 60);
    assert.deepEqual(absent.bucket_choices, CHOICES);
  });

  it('200 any other range is served as 24h, and the answer says so', async () => {
    for (const range of ['1h', '24h', '7d', '30d']) assert.equal((await get({ range })).body(200).range, range);
    assert.equal((await get({ range: '1y' })).body(200).range, '24h');
  });

  it('200 candles are in order, aligned to their buckets, and each is consistent', async () => {
    await server.pass(130_000);
    const { candles, current } = (await get({ model: 'surge', range: '1h' })).body(200);
    assert.ok(candles.length >= 3 && candles.length < 20, `${candles.length} candles`);
    for (const [index, { t, open, high, low, close, mean }] of candles.entries()) {
      assert.equal(t % 60, 0);
      assert.ok(low <= Math.min(open, close, mean) && high >= Math.max(open, close, mean));
      const before = candles[index - 1];
      if (before) assert.equal(t - before.t, 60);
    }
    assert.equal(candles.at(-1)?.t, Math.floor(server.clock.nowMs() / 60_000) * 60);
    assert.ok(current >= 1 && current <= 100);
  });

  it('200 a preview is marked, and no other market', async () => {
    assert.equal((await get({ model: 'surge' })).body(200).preview, true);
    assert.equal((await get({ model: 'tide' })).body(200).preview, undefined);
  });

  it('200 an alias and a deprecated market can be read', async () => {
    assert.equal((await get({ model: 'tide-latest' })).body(200).model, 'tide');
    assert.equal((await get({ model: 'ebb' })).body(200).model, 'ebb');
  });

  it('400 unknown_model for a model that is not served', async () => {
    assert.equal((await get({ model: 'nobody' })).refusal(400, 'unknown_model').param, 'model');
  });

  it('400 fixed_price_model for a model without a market, pointing to the list of models', async () => {
    assert.match((await get({ model: 'harbor' })).refusal(400, 'fixed_price_model').message, /GET \/v1\/models/);
  });
});
