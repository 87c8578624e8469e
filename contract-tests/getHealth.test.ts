import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

describe('GET /healthz', () => {
  const server = useServer({ limits: { public_requests_per_minute_per_address: 3 } });
  const get = () => server.api.call('getHealth', { key: null });

  // Spec 4.9-32
  it('200 while the database answers and the markets move', async () => {
    const health = (await get()).body(200);
    assert.equal(health.ok, true);
    assert.equal(health.db, true);
    assert.equal(health.market_loop, true);
    assert.equal(health.role, 'leader');
    assert.equal(health.backend_healthy, true);
    assert.equal(health.healthy_pods, health.pods);
    assert.equal(health.level, (await server.api.call('getMarket')).body(200).level);
  });

  it('200 counts waiting orders', async () => {
    const order = { body: chat({ model: 'reef', detached: true }) };
    const { id } = (await server.api.call('createChatCompletion', order)).body(202);
    const health = (await get()).body(200);
    assert.deepEqual([health.queued, health.inflight], [1, 0]);
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
    assert.equal((await get()).body(200).queued, 0);
  });

  // Spec 8-10
  it('200 without a rate limit', async () => {
    for (let asked = 0; asked < 10; asked++) (await get()).body(200);
  });

  // Spec 4.9-72
  it('503 while the database does not commit', async () => {
    const asked = await server.withoutCommits(async (passTimeUntil) => {
      const held = server.api.call('createChatCompletion', { body: chat() });
      await passTimeUntil(eventually(async () => (await get()).status === 503, 'a gateway that notices'));
      const health = (await get()).body(503);
      assert.deepEqual([health.ok, health.db], [false, false]);
      return { held };
    });
    (await asked.held).body(200);
    assert.equal((await get()).body(200).ok, true);
  });
});
