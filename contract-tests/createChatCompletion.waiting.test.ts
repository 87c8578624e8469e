import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { cannedReply, errorReply } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

const DAY_S = 86_400;

describe('POST /v1/chat/completions when the order waits, or its backend fails', () => {
  const server = useServer();
  const ask = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    server.api.call('createChatCompletion', { body: chat(fields), headers });
  const orderOf = async (id: string) => (await server.api.call('getOrder', { params: { id } })).body(200);

  /** Sends a request that waits, and lets time pass until it is answered. */
  async function askAndWait(fields: Record<string, unknown>, headers: Record<string, string> = {}) {
    return server.uncharged(async () => {
      const asked = ask(fields, headers);
      await server.orders({ queued: 1 });
      return server.passTimeUntil(asked);
    });
  }

  // Spec 3-12, 4.2-53, 7-12, 1-16
  it('408 order_expired once max_wait has passed, and x-should-retry stops official clients from retrying', async () => {
    const reply = await askAndWait({ model: 'reef', max_wait: 20 });
    assert.equal(reply.refusal(408, 'order_expired').type, 'timeout_error');
    assert.equal(reply.headers['x-should-retry'], 'false');
    const order = await orderOf(reply.orderId);
    assert.deepEqual([order.status, order.error], ['expired', 'order_expired']);
    assert.equal(Date.parse(order.expires_at) - Date.parse(order.created_at), 20_000);
  });

  it('408 a max_wait below ten seconds is raised to ten', async () => {
    const reply = await askAndWait({ model: 'reef', max_wait: 1 });
    reply.refusal(408, 'order_expired');
    const order = await orderOf(reply.orderId);
    assert.equal(Date.parse(order.expires_at) - Date.parse(order.created_at), 10_000);
  });

  it('408 max_wait wins over expires_after, either over X-Expires-After, and the account default is ten minutes', async () => {
    const wait = async (fields: Record<string, unknown>, headers: Record<string, string> = {}) => {
      const reply = await ask({ model: 'reef', detached: true, ...fields }, headers);
      const order = await orderOf(reply.body(202).id);
      await server.api.call('cancelOrder', { params: { id: order.id } });
      return (Date.parse(order.expires_at) - Date.parse(order.created_at)) / 1000;
    };
    assert.equal(await wait({ max_wait: 30, expires_after: 40 }, { 'x-expires-after': '50' }), 30);
    assert.equal(await wait({ expires_after: 40 }, { 'x-expires-after': '50' }), 40);
    assert.equal(await wait({}, { 'x-expires-after': '50' }), 50);
    assert.equal(await wait({ max_wait: null }), 600);
    assert.equal(await wait({ max_wait: 30 * DAY_S }), 30 * DAY_S);
  });

  // Spec 8-46
  it('408 an order whose limit is below the level waits until max_wait: it has hit no limit', async () => {
    const { level } = (await server.api.call('getMarket', { query: { model: 'reef' } })).body(200);
    assert.ok(level > 0);
    const reply = await askAndWait({ model: 'reef', price_limit: level / 2, max_wait: 20 });
    assert.equal(reply.refusal(408, 'order_expired').type, 'timeout_error');
    assert.equal(reply.headers['retry-after'], undefined);
  });

  // Spec 3-13, 7-26, 8-44
  it('429 capacity_unavailable when a fixed-price model had no slot before max_wait, without Retry-After', async () => {
    const reply = await askAndWait({ model: 'shoal', max_wait: 10 });
    assert.equal(reply.refusal(429, 'capacity_unavailable').type, 'rate_limit_error');
    assert.equal(reply.headers['retry-after'], undefined);
    assert.equal(reply.headers['x-should-retry'], 'false');
    assert.equal((await orderOf(reply.orderId)).status, 'expired');
  });

  // Spec 3-10, 4.2-29, 8-22
  it('429 capacity_unavailable when a locked order has not started within ten seconds, whatever max_wait says', async () => {
    const reply = await askAndWait({ model: 'reef', price_lock: true, max_wait: 600 });
    reply.refusal(429, 'capacity_unavailable');
    assert.equal(reply.headers['retry-after'], undefined);
    const order = await orderOf(reply.orderId);
    assert.equal(order.status, 'expired');
    assert.equal(Date.parse(order.expires_at) - Date.parse(order.created_at), 10_000);
  });

  it('200 a lock bids the lower of its limit and the quote', async () => {
    const { level } = (await server.api.call('getMarket', { query: { model: 'tide' } })).body(200);
    assert.ok((await ask({ price_lock: true, price_limit: 50 })).body(200).usage.x_market.bid <= 50);
    const { bid } = (await ask({ price_lock: true, price_limit: level / 2 })).body(200).usage.x_market;
    assert.ok(bid <= level / 2);
  });

  // Spec 7-13, 4.2-54
  it('409 order_canceled when the order is canceled while it waits', async () => {
    const reply = await server.uncharged(async () => {
      const asked = ask({ model: 'reef', max_wait: 600 });
      await server.orders({ queued: 1 });
      const { data } = (await server.api.call('listOrders', { query: { status: 'queued' } })).body(200);
      (await server.api.call('cancelOrder', { params: { id: data[0]?.id ?? '' } })).body(200);
      return asked;
    });
    assert.equal(reply.refusal(409, 'order_canceled').type, 'conflict_error');
    assert.equal(reply.headers['x-should-retry'], 'false');
    assert.equal((await orderOf(reply.orderId)).status, 'canceled');
  });

  // Spec 3-14
  it('200 a backend that fails before its first output is not the caller’s fault: the order runs again', async () => {
    server.answer((count) => (count < 2 ? { writes: [], instead: 'reset' } : cannedReply()));
    const reply = await server.passTimeUntil(ask({ max_tokens: 8 }), 100);
    assert.equal(reply.body(200).usage.completion_tokens, 8);
    server.answer(cannedReply());
  });

  it('502 backend_error after four failed attempts, without a charge', async () => {
    server.answer({ writes: [], instead: 'reset' });
    const reply = await server.uncharged(() => server.passTimeUntil(ask({ max_wait: DAY_S }), 100));
    assert.equal(reply.refusal(502, 'backend_error').type, 'server_error');
    assert.equal(reply.headers['x-should-retry'], 'false');
    const order = await orderOf(reply.orderId);
    assert.deepEqual([order.status, order.error], ['error', 'backend_error']);
    server.answer(cannedReply());
  });

  it('200 a full backend is not a failure: the order waits and runs', async () => {
    server.answer((count) => (count < 6 ? errorReply(503, 'no room') : cannedReply()));
    const reply = await server.passTimeUntil(ask({ max_wait: DAY_S }));
    reply.body(200);
    server.answer(cannedReply());
  });
});

describe('POST /v1/chat/completions whose caller closes its connection', () => {
  const server = useServer();

  /** Sends a unary request on a socket of its own, for an account of its own. */
  async function askRaw(fields: Record<string, unknown>, end: (socket: Socket, request: string) => void) {
    const { key } = await server.createAccount();
    const body = JSON.stringify(chat(fields));
    const head = `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const socket = connect(Number(new URL(server.api.url).port), '127.0.0.1').setEncoding('utf8');
    end(socket, `POST /v1/chat/completions HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    return { socket, api: server.api.as(key) };
  }

  it('200 when it closes only its own side: it gets the answer that it pays for', async () => {
    const { socket, api } = await askRaw({}, (connection, request) => connection.end(request));
    const answer = (await Array.fromAsync(socket)).join('');
    assert.match(answer, /^(HTTP\/1\.1 100 Continue\r\n\r\n)*HTTP\/1\.1 200 OK\r\n/);
    const completion = JSON.parse(answer.slice(answer.indexOf('{')));
    const { data } = (await api.call('listOrders', { query: { include: 'usage' } })).body(200);
    assert.deepEqual(
      data.map(({ status, usage }) => [status, usage?.charged_usd]),
      [['done', completion.usage.x_market.charged_usd]],
    );
  });

  it('499 in the log alone when it closes its socket while it waits: the order is canceled', async () => {
    const waiting = { model: 'reef', max_wait: 60 };
    const { socket, api } = await askRaw(waiting, (connection, request) => void connection.write(request));
    await server.orders({ queued: 1 }, api);
    socket.destroy();
    await server.orders({ queued: 0 }, api);
    const { data } = (await api.call('listOrders')).body(200);
    assert.deepEqual([data[0]?.status, data[0]?.error], ['canceled', 'client_closed']);
  });
});
