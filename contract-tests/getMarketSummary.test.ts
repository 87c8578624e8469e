import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itKeepsItsAnswer, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/market/summary', () => {
  const server = useServer();
  const get = async () => (await server.api.call('getMarketSummary', { key: null })).body(200);
  // First: an answer that is shared is given out without the database.
  itSurvivesAnOutage(server, 'getMarketSummary');
  itHasARate('public_requests_per_minute_per_address', 'getMarketSummary');
  itKeepsItsAnswer(server, 'getMarketSummary', { seconds: /^[1-5]$/ });

  it('200 a row for every model, with its badges', async () => {
    const { models, default: standard } = await get();
    assert.equal(standard, 'tide');
    assert.deepEqual(
      models.map(({ model, pricing, degraded, preview, deprecated }) => [
        ...[model, pricing, degraded, preview, deprecated],
      ]),
      [
        ['tide', 'market', false, false, false],
        ['harbor', 'fixed', false, false, false],
        ['reef', 'market', true, false, false],
        ['shoal', 'fixed', true, false, false],
        ['surge', 'market', false, true, false],
        ['ebb', 'market', true, false, true],
      ],
    );
  });

  it('200 prices and quote are those of the other routes', async () => {
    await server.pass(5_000);
    const tide = (await get()).models.find(({ model }) => model === 'tide');
    const level = (await server.api.call('getMarket', { query: { model: 'tide' } })).body(200);
    const quote = (await server.api.call('getPriceLock', { query: { model: 'tide' } })).body(200);
    assert.deepEqual([tide?.level, tide?.usd_per_million], [level.level, level.usd_per_million]);
    assert.deepEqual(tide?.quote, { price: quote.price, valid_until: quote.valid_until });
  });

  it('200 a sparkline of 48 buckets, and none on a fixed-price model', async () => {
    const { models, bucket_seconds, from, to } = await get();
    assert.deepEqual([bucket_seconds, to - from, from % 1800], [1800, 86_400, 0]);
    for (const { model, pricing, sparkline } of models) {
      assert.equal(sparkline?.length, pricing === 'market' ? 48 : undefined, model);
      assert.equal(sparkline?.at(-1) === null, false, model);
      assert.equal(sparkline?.at(0) ?? null, null, 'No gateway was up a day ago.');
    }
  });

  it('200 what was billed appears within five seconds', async () => {
    const { usage } = (await server.api.call('createChatCompletion', { body: chat() })).body(200);
    await server.pass(5_000);
    const tide = (await get()).models.find(({ model }) => model === 'tide');
    assert.deepEqual([tide?.total_tokens, tide?.requests], [usage.total_tokens, 1]);
  });
});
