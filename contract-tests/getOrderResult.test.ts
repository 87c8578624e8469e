import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { cannedReply, chunkOf, errorReply, streamOf } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const DAY_MS = 86_400_000;
const messages = [{ role: 'user', content: 'Say hello.' }];

/** One request to each endpoint. */
const endpoints = [
  { kind: 'chat', operation: 'createChatCompletion', body: { model: 'tide', messages, price_limit: 5 } },
  { kind: 'completion', operation: 'createCompletion', body: { model: 'tide', prompt: 'Say hello.', price_limit: 5 } },
  { kind: 'responses', operation: 'createResponse', body: { model: 'tide', input: 'Say hello.', price_limit: 5 } },
  { kind: 'messages', operation: 'createMessage', body: { model: 'tide', messages, max_tokens: 50, max_price: 5 } },
] as const satisfies { kind: string; operation: OperationId; body: object }[];

describe('GET /v1/orders/{id}/result', () => {
  const server = useServer();
  itNeedsAKey(server, 'getOrderResult', { params: { id: NOBODY } });
  itSurvivesAnOutage(server, 'getOrderResult', { params: { id: NOBODY } });
  itHasARate('account_operations_per_minute_per_account', 'getOrderResult', { params: { id: NOBODY } });

  const collect = (id: string, api = server.api) => api.call('getOrderResult', { params: { id } });
  const ask = (fields: Record<string, unknown> = {}, api = server.api) =>
    api.call('createChatCompletion', { body: chat(fields) });
  const cancel = (id: string) => server.api.call('cancelOrder', { params: { id } });
  /** The result of a finished order, once it is stored or known to be lost. */
  const settled = async (id: string, api = server.api) => {
    await server.pass(1000);
    await eventually(async () => !('retry-after' in (await collect(id, api)).headers), 'a stored result');
    return collect(id, api);
  };

  for (const { kind, operation, body } of endpoints) {
    it(`200 what a ${kind} request answered, in the shape of its endpoint`, async () => {
      const reply = await server.api.call(operation, { body, headers: { 'idempotency-key': `collect-${kind}` } });
      const result = (await collect(reply.orderId)).body(200);
      assert.deepEqual([result.id, result.object, result.kind], [reply.orderId, 'order.result', kind]);
      assert.deepEqual([result.status, result.error], ['done', null]);
      assert.equal(result.created_at, new Date(server.clock.nowMs()).toISOString());
      assert.equal(Date.parse(result.expires_at), server.clock.nowMs() + 600_000);
      assert.equal(Date.parse(result.result_expires_at ?? ''), server.clock.nowMs() + 30 * DAY_MS);
      assert.deepEqual(result.body, JSON.parse(reply.text));
    });

    it(`200 the same for a ${kind} request without a key, once it is stored`, async () => {
      const reply = await server.api.call(operation, { body });
      assert.deepEqual((await settled(reply.orderId)).body(200).body, JSON.parse(reply.text));
    });
  }

  it('200 a large answer, with an Idempotency-Key and without', async () => {
    server.answer(streamOf([chunkOf({ content: 'word '.repeat(40_000) }), chunkOf({}, { finish_reason: 'stop' })]));
    for (const headers of [{ 'idempotency-key': 'large' }, {}]) {
      const reply = await server.api.call('createChatCompletion', { body: chat(), headers });
      assert.deepEqual((await settled(reply.orderId)).body(200).body, JSON.parse(reply.text));
    }
    server.answer(cannedReply());
  });

  it('200 without a body, and with Retry-After, while a large answer is being stored', async () => {
    server.answer(streamOf([chunkOf({ content: 'word '.repeat(40_000) }), chunkOf({}, { finish_reason: 'stop' })]));
    const { orderId } = await server.api.call('createChatCompletion', { body: chat() });
    const reply = await collect(orderId);
    assert.deepEqual([reply.body(200).status, reply.body(200).body], ['done', null]);
    assert.equal(reply.headers['retry-after'], '1');
    assert.notEqual((await settled(orderId)).body(200).body, null);
    server.answer(cannedReply());
  });

  it('200 a streamed answer is collected as one object', async () => {
    const stream = await ask({ stream: true });
    const { body } = (await settled(stream.orderId)).body(200);
    const choices = (body as { choices: { message: { content: string } }[] }).choices;
    const deltas = stream.frames.slice(0, -1).map(({ data }) => JSON.parse(data).choices[0]?.delta.content ?? '');
    assert.equal(choices[0]?.message.content, deltas.join(''));
  });

  it('200 the answer of a detached order that is done, any number of times', async () => {
    const { id, result_url } = (await ask({ detached: true })).body(202);
    assert.equal(result_url, `/v1/orders/${id}/result`);
    await server.orders({ queued: 0, executing: 0 });
    const first = (await collect(id)).body(200);
    assert.equal((first.body as { usage: { x_market: { order_id: string } } }).usage.x_market.order_id, id);
    assert.deepEqual((await collect(id.toUpperCase())).body(200), first);
  });

  it('200 without a body while the order waits or runs', async () => {
    const waiting = (await ask({ model: 'reef', detached: true })).body(202).id;
    const queued = (await collect(waiting)).body(200);
    assert.deepEqual(
      [queued.status, queued.body, queued.error, queued.result_expires_at],
      ['queued', null, null, null],
    );
    await cancel(waiting);
    const finish = server.holdAnswers();
    const running = (await ask({ detached: true })).body(202).id;
    await server.orders({ executing: 1 });
    const executing = (await collect(running)).body(200);
    assert.deepEqual([executing.status, executing.body, executing.error], ['executing', null, null]);
    finish();
    await server.orders({ executing: 0 });
  });

  // Spec 2.1-19, 3-16
  it('200 with the reason when the order was canceled, expired or failed, even without retention', async () => {
    for (const retention of [{}, { retention_days: 0 }]) {
      const canceled = (await ask({ model: 'reef', detached: true, ...retention })).body(202).id;
      await cancel(canceled);
      const expired = (await ask({ model: 'reef', detached: true, max_wait: 10, ...retention })).body(202).id;
      await server.pass(10_000);
      server.answer(errorReply(400, 'too many images'));
      const refused = (await ask({ detached: true, ...retention })).body(202).id;
      await server.orders({ queued: 0, executing: 0 });
      server.answer(cannedReply());
      for (const [id, status, code] of [
        [canceled, 'canceled', 'order_canceled'],
        [expired, 'expired', 'order_expired'],
        [refused, 'error', 'model_refused'],
      ] as const) {
        const result = (await collect(id)).body(200);
        assert.deepEqual([result.status, result.body, result.result_expires_at], [status, null, null]);
        assert.equal(result.error?.code, code);
        assert.match(result.error?.message ?? '', /\S/);
      }
    }
  });

  it('410 for a finished order whose result was not to be stored', async () => {
    const none = server.api.as((await server.createAccount({ retentionDays: 0 })).key);
    const orders = [
      [(await ask({ store: false })).orderId, server.api],
      [(await ask({ retention_days: 0 })).orderId, server.api],
      [(await ask({}, none)).orderId, none],
    ] as const;
    for (const [id, api] of orders) (await collect(id, api)).refusal(410, 'result_unavailable');
  });

  it('404 for a malformed id, an unknown one, and someone else’s', async () => {
    const { orderId } = await ask();
    const other = server.api.as((await server.createAccount()).key);
    (await collect('not-an-id')).refusal(404, 'not_found');
    (await collect("' OR 1=1 --")).refusal(404, 'not_found');
    (await collect(NOBODY)).refusal(404, 'not_found');
    const foreign = (await collect(orderId, other)).refusal(404, 'not_found');
    assert.deepEqual(foreign, (await collect(NOBODY)).refusal(404, 'not_found'));
  });
});

describe('GET /v1/orders/{id}/result over the download allowance', () => {
  const server = useServer({ limits: { download_bytes_per_hour_per_account: 1000 } });

  // Spec 4.6-21, 8-14
  it('429 once it is used up, for this account only and for as long as Retry-After says', async () => {
    const { orderId } = await server.api.call('createChatCompletion', {
      body: chat(),
      headers: { 'idempotency-key': 'download' },
    });
    const collect = () => server.api.call('getOrderResult', { params: { id: orderId } });
    let reply = await collect();
    for (let read = 1; reply.status === 200 && read < 20; read++) reply = await collect();
    reply.refusal(429, 'rate_limit_error');
    const seconds = Number(reply.headers['retry-after']);
    await server.clock.advance((seconds - 1) * 1000);
    (await collect()).refusal(429, 'rate_limit_error');
    await server.clock.advance(1000);
    (await collect()).body(200);
    (await server.api.call('getOrder', { params: { id: orderId } })).body(200);
    const other = server.api.as((await server.createAccount()).key);
    const theirs = await other.call('createChatCompletion', { body: chat(), headers: { 'idempotency-key': 'own' } });
    (await other.call('getOrderResult', { params: { id: theirs.orderId } })).body(200);
  });

  it('200 an answer that its reader leaves half-way counts for what was sent of it', async () => {
    // More than the sockets of both sides hold.
    const text = 'x'.repeat(8_000_000);
    server.answer(streamOf([chunkOf({ content: text }), chunkOf({}, { finish_reason: 'stop' })]));
    const account = await server.createAccount();
    const api = server.api.as(account.key);
    const headers = { 'idempotency-key': 'long' };
    const { orderId } = await api.call('createChatCompletion', { body: chat({ max_tokens: 4_000_000 }), headers });
    server.answer(cannedReply());
    // This one reads no more than its socket takes by itself.
    const socket = connect(Number(new URL(server.api.url).port), '127.0.0.1');
    socket.write(
      `GET /v1/orders/${orderId}/result HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.key}\r\n\r\n`,
    );
    await once(socket, 'readable');
    assert.match(String(socket.read()), /^HTTP\/1\.1 200 .*content-length: 80\d{5}\r\n/is);
    socket.destroy();
    const retryAfter = async () =>
      Number((await api.call('getOrderResult', { params: { id: orderId } })).headers['retry-after'] ?? 0);
    await eventually(async () => (await retryAfter()) < 3600 * 7_000, 'what was not sent is given back');
  });
});
