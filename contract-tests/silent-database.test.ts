/** A database server that takes what it is sent and answers nothing, as one whose process is stopped. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

const skip = process.env.SLUICE_TEST_DATABASE
  ? false
  : 'a SQLite file always answers; scripts/with-mariadb starts a server';

describe('a database that does not answer', { skip }, () => {
  const server = useServer();
  const body = chat();

  it('503 with Retry-After on every route that needs it, and GET /healthz says why', async () => {
    const { orderId } = await server.api.call('createChatCompletion', { body });
    const key = (await server.createAccount()).key;
    const before = await server.charged();
    await server.withSilentDatabase(async (passTimeUntil) => {
      const replies = await Promise.all([
        passTimeUntil(server.api.call('createChatCompletion', { body })),
        passTimeUntil(server.api.call('createChatCompletion', { body: { ...body, detached: true } })),
        passTimeUntil(server.api.as(key).call('createChatCompletion', { body })),
        server.api.call('getOrder', { params: { id: orderId } }),
        server.api.call('listOrders'),
        server.api.call('listUsage'),
        server.api.call('getAccount'),
        server.api.call('updateAccount', { body: { order_timeout_seconds: 60 } }),
        server.api.call('listFiles'),
        server.api.call('listBatches'),
        server.api.call('getOrderResult', { params: { id: orderId } }),
      ]);
      for (const reply of replies) {
        reply.refusal(503, 'unavailable');
        assert.ok(Number(reply.headers['retry-after']) >= 1);
      }
      const health = (await server.api.call('getHealth')).body(503);
      assert.deepEqual([health.ok, health.db], [false, false]);
      (await server.api.call('listModels')).body(200);
    });
    await server.orders({ queued: 0, executing: 0 });
    assert.deepEqual(await server.charged(), before);
    (await server.api.call('createChatCompletion', { body })).body(200);
  });
});
