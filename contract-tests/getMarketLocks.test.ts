import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itKeepsItsAnswer, itSurvivesAnOutage } from './support/common-refusals.ts';
import { IDLE_STEP_MS } from './support/pace.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/market/locks', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getMarketLocks', { query, key: null });
  // First: an answer that is shared is given out without the database.
  itSurvivesAnOutage(server, 'getMarketLocks');
  itHasARate('public_requests_per_minute_per_address', 'getMarketLocks');
  itKeepsItsAnswer(server, 'getMarketLocks', { seconds: /^([1-9]|10)$/ });

  for (const [range, bucketS] of [
    ['1h', 60],
    ['24h', 900],
  ] as const) {
    it(`200 ${range} in buckets of ${bucketS} seconds, aligned, the last of which is now`, async () => {
      const body = (await get({ range })).body(200);
      assert.deepEqual(
        [body.range, body.bucket_seconds, body.model, body.interval_ms],
        [range, bucketS, 'tide', 10_000],
      );
      assert.deepEqual([body.from % bucketS, body.to % bucketS], [0, 0]);
      const nowS = server.clock.nowMs() / 1000;
      assert.ok(body.to > nowS && body.to - bucketS <= nowS);
    });
  }

  it('200 any other range is served as 24h, and the answer says so', async () => {
    for (const range of ['30d', '7d', '', '9999d', '1h,24h'])
      assert.equal((await get({ range })).body(200).range, '24h', range);
  });

  it('200 the quotes of the past windows, and of a quarter of an hour how many of its locks started', async () => {
    const body = { ...chat(), price_limit: 50, price_lock: true };
    const quarterMs = 900_000;
    await server.pass(quarterMs - (server.clock.nowMs() % quarterMs), IDLE_STEP_MS);
    for (let lock = 0; lock < 30; lock++)
      (await server.passTimeUntil(server.api.call('createChatCompletion', { body }))).body(200);
    await server.pass(60_000);
    const soon = (await get()).body(200);
    assert.ok(soon.points.every(({ locks }) => locks === null));
    await server.pass(2 * quarterMs, IDLE_STEP_MS);
    const { points, locks_min } = (await get()).body(200);
    assert.equal(locks_min, 30);
    for (const { price, low, high } of points) assert.deepEqual([price, low, high], [1, 1, 1]);
    const shown = points.filter(({ locks }) => locks !== null);
    assert.deepEqual(
      shown.map(({ locks, started, started_share }) => [locks, started, started_share]),
      [[30, 30, 1]],
    );
    const minutes = (await get({ range: '1h' })).body(200).points;
    assert.ok(minutes.length > 0 && minutes.every(({ windows, locks }) => windows >= 1 && locks === null));
  });

  it('200 a preview has simulated quotes and no locks', async () => {
    const { preview, points } = (await get({ model: 'surge', range: '1h' })).body(200);
    assert.equal(preview, true);
    assert.ok(points.length > 0 && points.every(({ locks, price }) => locks === null && price >= 1));
  });

  it('200 an alias names its model', async () => {
    assert.equal((await get({ model: 'tide-latest' })).body(200).model, 'tide');
  });

  it('400 unknown_model for a model that is not served', async () => {
    assert.equal((await get({ model: 'nobody' })).refusal(400, 'unknown_model').param, 'model');
  });

  it('400 fixed_price_model for a model without a market', async () => {
    assert.match((await get({ model: 'harbor' })).refusal(400, 'fixed_price_model').message, /GET \/v1\/models/);
  });
});
