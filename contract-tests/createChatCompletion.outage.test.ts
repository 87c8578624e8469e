import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkChatStream } from '#conformance/streams/chat-stream-checker.ts';
import { chat } from './support/chat.ts';
import { TestServer, useServer } from './support/server.ts';

describe('POST /v1/chat/completions while the database does not commit', () => {
  const server = useServer();
  const ask = (fields?: Record<string, unknown>) => server.api.call('createChatCompletion', { body: chat(fields) });
  const orderOf = async (id: string) => (await server.api.call('getOrder', { params: { id } })).body(200);

  // Spec 4.2-58, 7-29
  it('500 names the order whose charge is uncertain, and the charge is made once commits go through', async () => {
    const finish = server.holdAnswers();
    const before = await server.charged();
    const asked = ask();
    await server.orders({ executing: 1 });
    const reply = await server.withoutCommits((passTimeUntil) => {
      finish();
      return passTimeUntil(asked);
    });
    assert.equal(reply.refusal(500, 'settlement_uncertain').type, 'server_error');
    assert.equal(reply.headers['x-should-retry'], 'false');
    await server.orders({ executing: 0 });
    assert.equal((await orderOf(reply.orderId)).status, 'done');
    assert.equal((await server.charged()).settled, before.settled + 1);
  });

  it('200 a stream reports it in band', async () => {
    const finish = server.holdAnswers();
    const asked = ask({ stream: true });
    await server.orders({ executing: 1 });
    const reply = await server.withoutCommits((passTimeUntil) => {
      finish();
      return passTimeUntil(asked);
    });
    assert.equal(checkChatStream(reply.text).error?.code, 'settlement_uncertain');
    await server.orders({ executing: 0 });
    assert.equal((await orderOf(reply.orderId)).status, 'done');
  });

  // Spec 7-31, 7-32, 4.9-72
  it('503 unavailable with Retry-After after a while without commits; GET /healthz says why', async () => {
    const finish = server.holdAnswers();
    const first = ask();
    await server.orders({ executing: 1 });
    await server.withoutCommits(async (passTimeUntil) => {
      finish();
      (await passTimeUntil(first)).refusal(500, 'settlement_uncertain');
      const reply = await ask();
      reply.refusal(503, 'unavailable');
      assert.ok(Number(reply.headers['retry-after']) >= 1);
      assert.equal(reply.headers['x-service-order-id'], undefined);
      const health = (await server.api.call('getHealth')).body(503);
      assert.deepEqual([health.ok, health.db], [false, false]);
    });
    await server.orders({ executing: 0 });
    (await ask()).body(200);
  });
});

describe('POST /v1/chat/completions when a commit takes too long', () => {
  const server = useServer();
  const ask = (fields?: Record<string, unknown>) => server.api.call('createChatCompletion', { body: chat(fields) });
  const ordersOf = async () => (await server.api.call('listOrders')).body(200).data;

  for (const [what, fields] of Object.entries({ 'an order': {}, 'a detached order': { detached: true } })) {
    it(`503 unavailable with Retry-After for ${what}, which never runs`, async () => {
      const asked = server.backend.requests.length;
      const reply = await server.uncharged(() => server.withoutCommits((passTimeUntil) => passTimeUntil(ask(fields))));
      reply.refusal(503, 'unavailable');
      assert.ok(Number(reply.headers['retry-after']) >= 1);
      await server.orders({ queued: 0, executing: 0 });
      assert.equal(server.backend.requests.length, asked);
      for (const { status, error } of await ordersOf()) {
        assert.ok(status === 'error' || status === 'canceled');
        assert.equal(error, 'gateway_unavailable');
      }
    });
  }

  it('200 once commits go through again', async () => {
    (await ask()).body(200);
  });
});

describe('POST /v1/chat/completions while the gateway drains', () => {
  it('503 for waiting orders with a caller; detached ones stay queued; new ones are refused', async () => {
    const server = new TestServer({});
    await server.start();
    try {
      const ask = (fields: Record<string, unknown>) => server.api.call('createChatCompletion', { body: chat(fields) });
      (await ask({ model: 'reef', detached: true })).body(202);
      const finish = server.holdAnswers();
      const running = ask({});
      const waiting = ask({ model: 'reef' });
      const streaming = ask({ model: 'reef', stream: true });
      await server.orders({ queued: 3, executing: 1 });
      const stopped = server.stop();
      const reply = await waiting;
      assert.equal(reply.refusal(503, 'unavailable').type, 'server_error');
      assert.ok(Number(reply.headers['retry-after']) >= 1);
      assert.ok(reply.orderId);
      assert.equal(checkChatStream((await streaming).text).error?.code, 'unavailable');
      finish();
      assert.equal((await running).body(200).object, 'chat.completion');
      await stopped;
    } finally {
      await server.close();
    }
  });
});
