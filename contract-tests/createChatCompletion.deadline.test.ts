import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

const HOUR_S = 3_600;

describe('POST /v1/chat/completions with a deadline', () => {
  const server = useServer();
  const ask = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}, api = server.api) =>
    api.call('createChatCompletion', { body: chat(fields), headers });
  const orderOf = async (id: string, api = server.api) => (await api.call('getOrder', { params: { id } })).body(200);
  /** The order of a detached request on a market without pods, where it waits; it is withdrawn. */
  async function waiting(fields: Record<string, unknown>, headers: Record<string, string> = {}, api = server.api) {
    const order = await orderOf(
      (await ask({ model: 'reef', detached: true, ...fields }, headers, api)).body(202).id,
      api,
    );
    await api.call('cancelOrder', { params: { id: order.id } });
    return order;
  }
  const waitOf = ({ created_at, expires_at }: { created_at: string; expires_at: string }) =>
    Date.parse(expires_at) - Date.parse(created_at);

  async function refused(code: string, fields: Record<string, unknown>, headers: Record<string, string> = {}) {
    return (await server.uncharged(() => ask(fields, headers))).refusal(400, code);
  }

  it('200 where a slot is free it starts at once, at the lowest price there is', async () => {
    const reply = await ask({ price_limit: 5, deadline: HOUR_S });
    const { bid } = reply.body(200).usage.x_market;
    assert.ok(bid < 5, `${bid} is not below the limit`);
    const { strategy, status } = await orderOf(reply.orderId);
    assert.equal(status, 'done');
    assert.deepEqual([strategy?.kind, strategy?.price_limit, strategy?.at_limit], ['deadline', 5, false]);
  });

  it('202 where nothing can start it bids its limit, and says so', async () => {
    const order = await waiting({ deadline: 8 * HOUR_S });
    const { expires_at } = order;
    assert.equal(order.bid, 5);
    assert.equal(waitOf(order), 8 * HOUR_S * 1000);
    assert.deepEqual(order.strategy, { kind: 'deadline', deadline: expires_at, price_limit: 5, at_limit: true });
  });

  it('202 the deadline is a number of seconds or a time, in the body or in X-Deadline, and the body wins', async () => {
    const timeIn = (seconds: number) => new Date(server.clock.nowMs() + seconds * 1000).toISOString();
    const at = timeIn(HOUR_S);
    assert.equal((await waiting({ deadline: at })).strategy?.deadline, at);
    assert.equal((await waiting({}, { 'x-deadline': at })).strategy?.deadline, at);
    assert.equal(waitOf(await waiting({}, { 'x-deadline': '120' })), 120_000);
    assert.equal(waitOf(await waiting({ deadline: 60 }, { 'x-deadline': '120' })), 60_000);
    assert.equal(waitOf(await waiting({ deadline: 1 })), 10_000);
    assert.equal((await waiting({ deadline: null })).strategy, undefined);
  });

  it('202 the default limit of the account is enough, and its default lock gives way', async () => {
    const api = server.api.as((await server.createAccount({ creditUsd: 10 })).key);
    await api.call('updateAccount', { body: { default_price_limit: { reef: 3 }, price_lock: true } });
    const order = await waiting({ price_limit: undefined, deadline: HOUR_S }, {}, api);
    assert.equal(order.strategy?.price_limit, 3);
    assert.equal(waitOf(order), HOUR_S * 1000);
  });

  it('202 a new price is the most that the market bids from now on', async () => {
    const { id } = (await ask({ model: 'reef', detached: true, deadline: HOUR_S })).body(202);
    await server.api.call('repriceOrders', { body: { ids: [id], price_limit: 7 } });
    const { bid, strategy } = await orderOf(id);
    assert.deepEqual([bid, strategy?.price_limit, strategy?.kind], [7, 7, 'deadline']);
    await server.api.call('cancelOrder', { params: { id } });
  });

  it('408 order_expired at the deadline, uncharged', async () => {
    const reply = await server.uncharged(async () => {
      const asked = ask({ model: 'reef', deadline: 20 });
      await server.orders({ queued: 1 });
      return server.passTimeUntil(asked);
    });
    reply.refusal(408, 'order_expired');
    const order = await orderOf(reply.orderId);
    assert.deepEqual([order.status, waitOf(order)], ['expired', 20_000]);
  });

  it('429 capacity_unavailable at the deadline on a fixed-price model, which has no strategy', async () => {
    const reply = await server.uncharged(async () => {
      const asked = ask({ model: 'shoal', deadline: 20 });
      await server.orders({ queued: 1 });
      return server.passTimeUntil(asked);
    });
    reply.refusal(429, 'capacity_unavailable');
    const order = await orderOf(reply.orderId);
    assert.deepEqual([order.strategy, waitOf(order)], [undefined, 20_000]);
  });

  it('400 for a deadline that is past, too far away, or none', async () => {
    const past = new Date(server.clock.nowMs() - 60_000).toISOString();
    const far = '2999-01-01T00:00:00Z';
    for (const deadline of [
      0,
      -1,
      1.5,
      2_592_001,
      '60',
      'soon',
      '2027-01-31',
      '2027-13-45T00:00:00Z',
      past,
      far,
      {},
      true,
    ]) {
      assert.equal((await refused('invalid_request', { deadline })).param, 'deadline');
    }
    for (const header of ['0', '1.5', 'soon', '2592001', '']) {
      assert.equal((await refused('invalid_request', { deadline: 60 }, { 'x-deadline': header })).param, 'x-deadline');
    }
  });

  it('400 beside a lock or a wait, and without any price limit', async () => {
    assert.equal((await refused('invalid_request', { deadline: 60, price_lock: true })).param, 'deadline');
    assert.equal((await refused('invalid_request', { deadline: 60, max_wait: 60 })).param, 'deadline');
    assert.equal((await refused('invalid_request', { deadline: 60 }, { 'x-expires-after': '60' })).param, 'deadline');
    await refused('missing_price_limit', { price_limit: undefined, deadline: 60 });
  });

  it('200 the three other shapes take it too', async () => {
    const common = { model: 'tide', price_limit: 5, deadline: HOUR_S };
    const messages = [{ role: 'user', content: 'Say hello.' }];
    const sent = [
      await server.api.call('createCompletion', { body: { ...common, prompt: 'Say hello.' } }),
      await server.api.call('createResponse', { body: { ...common, input: 'Say hello.' } }),
      await server.api.call('createMessage', { body: { ...common, messages, max_tokens: 16 } }),
    ];
    for (const { orderId } of sent) {
      const { status, strategy } = await orderOf(orderId);
      assert.deepEqual([status, strategy?.kind], ['done', 'deadline']);
    }
  });
});
