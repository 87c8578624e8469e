import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pricesAt } from './support/chat.ts';
import { itHasARate, itKeepsItsAnswer } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const RATIO = { cached: 0.1, uncached: 1, output: 4 };

describe('GET /v1/market', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getMarket', { query, key: null });
  // Spec 8-9
  itHasARate('public_requests_per_minute_per_address', 'getMarket');
  itKeepsItsAnswer(server, 'getMarket', { seconds: /^1$/ });

  it('200 the level of the default model, and its price per kind of token', async () => {
    const market = (await get()).body(200);
    assert.equal(market.model, 'tide');
    assert.equal(market.mode, 'clearing');
    assert.equal(market.degraded, false);
    assert.equal(market.preview, false);
    assert.ok(market.level >= 1 && market.level <= 100);
    const prices = pricesAt(market.level, RATIO);
    for (const kind of ['cached', 'uncached', 'output'] as const) {
      assert.ok(Math.abs(market.usd_per_million[kind] - prices[kind]) < 2e-9, kind);
    }
  });

  it('200 an alias reads the market of its model', async () => {
    assert.deepEqual((await get({ model: 'tide-latest' })).body(200), (await get({ model: 'tide' })).body(200));
  });

  // Spec 4.9-36
  it('200 a market without a healthy pod is degraded', async () => {
    assert.equal((await get({ model: 'reef' })).body(200).degraded, true);
  });

  it('200 a preview is marked in two places, and is never degraded', async () => {
    const market = (await get({ model: 'surge' })).body(200);
    assert.deepEqual([market.mode, market.preview, market.degraded], ['preview', true, false]);
  });

  it('200 a deprecated market stays readable', async () => {
    assert.equal((await get({ model: 'ebb' })).body(200).model, 'ebb');
  });

  it('400 unknown_model for a model that is not served', async () => {
    assert.equal((await get({ model: 'nobody' })).refusal(400, 'unknown_model').param, 'model');
  });

  it('400 fixed_price_model for a model without a market, pointing to the list of models', async () => {
    assert.match((await get({ model: 'harbor' })).refusal(400, 'fixed_price_model').message, /GET \/v1\/models/);
  });
});
