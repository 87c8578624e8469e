import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

describe('POST /v1/chat/completions detached, or with an Idempotency-Key', () => {
  const server = useServer();
  const ask = (fields: Record<string, unknown>, key?: string) =>
    server.api.call('createChatCompletion', {
      body: chat(fields),
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const orderOf = async (id: string) => (await server.api.call('getOrder', { params: { id } })).body(200);

  // Spec 3-4
  it('202 with the order, which runs in the background and is charged', async () => {
    const before = await server.charged();
    const reply = await ask({ detached: true });
    const accepted = reply.body(202);
    assert.equal(accepted.id, reply.orderId);
    assert.equal(accepted.object, 'order');
    assert.equal(accepted.status, 'queued');
    assert.equal(accepted.result_url, `/v1/orders/${accepted.id}/result`);
    assert.equal(accepted.result_stored, true);
    assert.equal(accepted.result_retention_days, 30);
    assert.ok(!('warning' in accepted));
    await server.orders({ queued: 0, executing: 0 });
    assert.equal((await orderOf(accepted.id)).status, 'done');
    assert.equal((await server.charged()).settled, before.settled + 1);
  });

  it('202 retention_days is lowered to what the account allows', async () => {
    const account = await server.createAccount({ retentionDays: 3 });
    const accepted = await server.api
      .as(account.key)
      .call('createChatCompletion', { body: chat({ detached: true, retention_days: 20 }) });
    assert.equal(accepted.body(202).result_retention_days, 3);
  });

  it('202 with a warning when nothing will be stored: store is false, or retention is 0 days', async () => {
    for (const fields of [{ store: false }, { retention_days: 0 }, { store: false, retention_days: 5 }]) {
      const accepted = (await ask({ detached: true, ...fields })).body(202);
      assert.equal(accepted.result_stored, false);
      assert.equal(accepted.result_retention_days, 0);
      assert.match(accepted.warning ?? '', /\S/);
    }
    await server.orders({ queued: 0, executing: 0 });
  });

  it('202 again, with the same order, when a detached request is repeated with its key', async () => {
    const first = (await ask({ model: 'reef', detached: true }, 'detached-1')).body(202);
    const second = (await ask({ model: 'reef', detached: true }, 'detached-1')).body(202);
    assert.deepEqual(second, first);
    (await server.api.call('cancelOrder', { params: { id: first.id } })).body(200);
  });

  it('200 the stored answer when a request is repeated with its key, charged once', async () => {
    const before = await server.charged();
    const first = await ask({}, 'same-1');
    const second = await server.passTimeUntil(ask({}, 'same-1'));
    assert.deepEqual(second.body(200), first.body(200));
    assert.equal(second.orderId, first.orderId);
    assert.equal((await server.charged()).settled, before.settled + 1);
  });

  it('200 the stored answer as a whole stream when the repetition requests a stream', async () => {
    const first = await ask({}, 'stream-1');
    const reply = await ask({ stream: true, stream_options: { include_usage: true } }, 'stream-1');
    assert.equal(reply.orderId, first.orderId);
    assert.equal(reply.frames.at(-1)?.data, '[DONE]');
    assert.equal(reply.headers['idempotent-replayed'], 'true');
    const usage = JSON.parse(reply.frames.at(-2)?.data ?? '').usage;
    assert.deepEqual(usage, first.body(200).usage);
  });

  it('409 idempotency_error when the key was used for another request, even if only the price differs', async () => {
    (await ask({}, 'other-1')).body(200);
    const others = [{ messages: [{ role: 'user', content: 'Another.' }] }, { price_limit: 4 }, { temperature: 1 }];
    for (const fields of others) {
      const reply = await server.uncharged(() => ask(fields, 'other-1'));
      assert.equal(reply.refusal(409, 'idempotency_error').type, 'conflict_error');
    }
  });

  // Spec 4.1-11, 4.2-57, 7-28
  it('429 result_pending with Retry-After 1 while the first request is in flight', async () => {
    const first = ask({ model: 'reef' }, 'flight-1');
    await server.orders({ queued: 1 });
    const second = await ask({ model: 'reef' }, 'flight-1');
    second.refusal(429, 'result_pending');
    assert.equal(second.headers['retry-after'], '1');
    (await server.api.call('cancelOrder', { params: { id: second.orderId } })).body(200);
    (await first).refusal(409, 'order_canceled');
  });

  it('200 the key can be used again when its order ended uncharged', async () => {
    const first = ask({ model: 'reef', max_wait: 10 }, 'free-1');
    await server.orders({ queued: 1 });
    const expired = await server.passTimeUntil(first);
    expired.refusal(408, 'order_expired');
    const second = ask({ model: 'reef', max_wait: 10 }, 'free-1');
    await server.orders({ queued: 1 });
    const again = await server.passTimeUntil(second);
    again.refusal(408, 'order_expired');
    assert.notEqual(again.orderId, expired.orderId);
  });

  it('200 a refusal before there is an order does not use up the key', async () => {
    (await ask({ model: 'nobody' }, 'taken-1')).refusal(404, 'model_not_found');
    (await ask({}, 'taken-1')).body(200);
  });

  it('200 two accounts may use the same key', async () => {
    const first = await ask({}, 'shared-1');
    const other = server.api.as((await server.createAccount()).key);
    const second = await other.call('createChatCompletion', {
      body: chat(),
      headers: { 'idempotency-key': 'shared-1' },
    });
    assert.notEqual(second.orderId, first.orderId);
  });

  it('200 a keyed order outlives the connection', async () => {
    const live = await server.api.open('createChatCompletion', {
      body: chat({ model: 'reef', stream: true }),
      headers: { 'idempotency-key': 'outlives-1' },
    });
    const id = live.headers['x-service-order-id'] ?? '';
    live.leave();
    await server.pass(1000);
    assert.equal((await orderOf(id)).status, 'queued');
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
  });

  it('200 one hundred requests at once with one key make one order and one charge', async () => {
    const before = await server.charged();
    const replies = await Promise.all(Array.from({ length: 100 }, () => ask({}, 'crowd-1')));
    for (const reply of replies) {
      if (reply.status !== 200) reply.refusal(429, 'result_pending');
    }
    assert.ok(replies.some(({ status }) => status === 200));
    assert.equal((await server.charged()).settled, before.settled + 1);
  });
});
