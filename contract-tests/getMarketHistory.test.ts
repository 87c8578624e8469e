import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itHasARate, itKeepsItsAnswer, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const RANGES = { '1h': 2, '24h': 45, '7d': 300, '30d': 1320 } as const;

describe('GET /v1/market/history', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getMarketHistory', { query, key: null });
  // First, before the history of earlier processes has been read.
  itSurvivesAnOutage(server, 'getMarketHistory');
  itHasARate('public_requests_per_minute_per_address', 'getMarketHistory');
  itKeepsItsAnswer(server, 'getMarketHistory', { seconds: /^1$/ });

  for (const [range, bucketS] of Object.entries(RANGES)) {
    it(`200 ${range} in buckets of ${bucketS} seconds, aligned, about two thousand of them`, async () => {
      const history = (await get({ range })).body(200);
      assert.deepEqual([history.range, history.bucket_seconds, history.model], [range, bucketS, 'tide']);
      assert.deepEqual([history.from % bucketS, history.to % bucketS], [0, 0]);
      const nowS = server.clock.nowMs() / 1000;
      assert.ok(history.to > nowS && history.to - bucketS <= nowS);
      const buckets = (history.to - history.from) / bucketS;
      assert.ok(buckets >= 1800 && buckets <= 2020, `${buckets} buckets`);
    });
  }

  it('200 any other range is served as 24h, and the answer says so', async () => {
    for (const query of [{}, { range: '2h' }, { range: '' }]) assert.equal((await get(query)).body(200).range, '24h');
  });

  // Spec 4.9-22
  it('200 only the time in which the gateway was up has points, each at the level of that time', async () => {
    await server.pass(20_000);
    const history = (await get({ range: '1h' })).body(200);
    assert.ok(history.points.length >= 10 && history.points.length < 300, `${history.points.length} points`);
    for (const [index, { t, level }] of history.points.entries()) {
      assert.equal(level, 1, 'the floor of this market, which nobody has outbid');
      const atS = Date.parse(t) / 1000;
      assert.ok(atS % 2 === 0 && atS >= history.from && atS < history.to);
      const before = history.points[index - 1];
      if (before) assert.ok(Date.parse(before.t) < Date.parse(t));
    }
    assert.equal(history.current, 1);
  });

  // Spec 4.9-20
  it('200 the mean of a bucket is weighted by time', async () => {
    const history = (await get({ range: '1h', model: 'surge' })).body(200);
    const levels = history.points.map(({ level }) => level);
    assert.equal(history.preview, true);
    assert.ok(levels.every((level) => level >= 1 && level <= 100));
    assert.ok(new Set(levels).size > 1);
  });

  // Spec 4.9-37
  it('200 a market that was degraded all the time has the frozen level', async () => {
    const { points } = (await get({ range: '1h', model: 'reef' })).body(200);
    assert.ok(points.length > 0 && points.every(({ level }) => level === 1));
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
