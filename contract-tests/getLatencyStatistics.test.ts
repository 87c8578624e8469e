import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itKeepsItsAnswer, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const MINUTE_MS = 60_000;

describe('GET /v1/stats/latency', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getLatencyStatistics', { query, key: null });
  // First: an answer that is shared is given out without the database.
  itSurvivesAnOutage(server, 'getLatencyStatistics');
  itHasARate('public_requests_per_minute_per_address', 'getLatencyStatistics');
  itKeepsItsAnswer(server, 'getLatencyStatistics', { seconds: /^([1-9]|[1-5]\d|60)$/ });

  for (const [range, days] of [
    ['24h', 1],
    ['7d', 7],
    ['30d', 30],
  ] as const) {
    it(`200 ${range} of the default model, by whole hours`, async () => {
      const body = (await get({ range })).body(200);
      assert.deepEqual([body.range, body.model, body.to - body.from], [range, 'tide', days * 86_400]);
      assert.deepEqual([body.to % 3600, body.to * 1000 > server.clock.nowMs()], [0, true]);
    });
  }

  it('200 any other range is served as 24h, and the answer says so', async () => {
    for (const range of ['1h', '', '9999d']) assert.equal((await get({ range })).body(200).range, '24h', range);
  });

  it('200 settled orders are counted within two minutes, and percentiles appear with the twentieth', async () => {
    const body = { ...chat(), price_limit: 1.2 };
    const order = async () => (await server.api.call('createChatCompletion', { body })).body(200);
    for (let made = 0; made < 19; made++) await order();
    await server.pass(2 * MINUTE_MS);
    const before = (await get()).body(200);
    assert.deepEqual(before.time_to_first_token_ms, { count: 10, p50: null, p95: null, p99: null });
    await order();
    await server.pass(2 * MINUTE_MS);
    const after = (await get()).body(200);
    assert.equal(after.time_to_first_token_ms.count, 20);
    assert.ok(Number(after.time_to_first_token_ms.p99) >= 0);
    assert.deepEqual(
      after.wait_by_bid.map(({ above, up_to, count }) => [above, up_to, count]),
      [
        [0, 1, 0],
        [1, 1.25, 20],
        [1.25, 2, 0],
        [2, null, 0],
      ],
    );
    assert.ok(Number(after.wait_ms.p50) >= 0 && after.wait_by_bid[0]?.p50 === null);
  });

  it('200 a refused order is not counted, and a fixed-price model has no bids', async () => {
    const body = chat({ model: 'harbor' });
    await server.uncharged(async () => {
      server.answer({ status: 400, contentType: 'application/json', writes: ['{"error":{"message":"no"}}'] });
      await server.api.call('createChatCompletion', { body });
    });
    await server.pass(2 * MINUTE_MS);
    const { wait_ms, wait_by_bid } = (await get({ model: 'harbor' })).body(200);
    assert.deepEqual([wait_ms.count, wait_by_bid], [0, []]);
  });

  it('200 an alias names its model', async () => {
    assert.equal((await get({ model: 'tide-latest' })).body(200).model, 'tide');
  });

  it('400 unknown_model for a model that is not served', async () => {
    assert.equal((await get({ model: 'nobody' })).refusal(400, 'unknown_model').param, 'model');
  });
});
