import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const MIB = 1024 * 1024;

describe('PATCH /v1/account', () => {
  const server = useServer();
  itNeedsAKey(server, 'updateAccount', { body: {} });
  itSurvivesAnOutage(server, 'updateAccount', { body: {} });
  itHasARate('account_operations_per_minute_per_account', 'updateAccount', { body: {} });

  const opened = async (priceLimits: Record<string, number> = {}) =>
    server.api.as((await server.createAccount({ priceLimits })).key);
  const update = (body: unknown, api = server.api) => api.call('updateAccount', { body });

  it('200 changes only what is sent, and answers like GET', async () => {
    const api = await opened({ tide: 2 });
    const before = (await api.call('getAccount')).body(200);
    const changed = (await update({ price_lock: true }, api)).body(200);
    assert.deepEqual(changed, { ...before, price_lock: true });
    const later = (await update({ order_timeout_seconds: 10, price_lock: false }, api)).body(200);
    assert.deepEqual(later, { ...before, order_timeout_seconds: 10 });
    assert.deepEqual((await update({}, api)).body(200), later);
    assert.deepEqual((await api.call('getAccount')).body(200), later);
  });

  // Spec 4.7-3
  it('200 default price limits are merged: a number sets one, null clears one, others stay', async () => {
    const api = await opened();
    const limits = async (default_price_limit: object) =>
      (await update({ default_price_limit }, api)).body(200).default_price_limit;
    assert.deepEqual(await limits({ tide: 2, reef: 0 }), { tide: 2, reef: 0 });
    assert.deepEqual(await limits({ reef: null }), { tide: 2 });
    assert.deepEqual(await limits({ surge: 1_000_000_000, ebb: 0.5 }), { tide: 2, surge: 1_000_000_000, ebb: 0.5 });
    assert.deepEqual(await limits({}), { tide: 2, surge: 1_000_000_000, ebb: 0.5 });
  });

  it('200 an alias sets the limit of its model, and fractions of a nano-dollar are dropped', async () => {
    const { default_price_limit } = (
      await update({ default_price_limit: { 'tide-latest': 0.1234567899 } }, await opened())
    ).body(200);
    assert.deepEqual(default_price_limit, { tide: 0.123456789 });
  });

  it('200 null clears what was stored for a fixed-price model', async () => {
    const api = await opened({ tide: 1, harbor: 3 });
    assert.deepEqual((await update({ default_price_limit: { harbor: null } }, api)).body(200).default_price_limit, {
      tide: 1,
    });
  });

  // Spec 4.7-6
  it('200 the new defaults apply to the next request', async () => {
    const api = await opened();
    const place = async (fields: Record<string, unknown> = {}) => {
      const body = chat({ model: 'reef', detached: true, price_limit: undefined, ...fields });
      return api.call('createChatCompletion', { body });
    };
    (await place()).refusal(400, 'missing_price_limit');
    await update({ default_price_limit: { reef: 3 }, order_timeout_seconds: 60 }, api);
    const { id, expires_at } = (await place()).body(202);
    assert.equal(Date.parse(expires_at), server.clock.nowMs() + 60_000);
    assert.equal((await api.call('getOrder', { params: { id } })).body(200).bid, 3);
    await update({ price_lock: true }, api);
    const explicit = (await place({ price_lock: true })).body(202);
    assert.equal(Date.parse(explicit.expires_at), server.clock.nowMs() + 10_000);
    const waiting = (await place()).body(202);
    assert.equal(Date.parse(waiting.expires_at), server.clock.nowMs() + 60_000, 'A detached order waits.');
    const { orderId } = await api.call('createChatCompletion', { body: chat() });
    const query = { include: 'pricing' };
    const locked = (await api.call('getOrder', { params: { id: orderId ?? '' }, query })).body(200);
    assert.equal(locked.price_lock, true, 'An interactive order locks.');
    for (const order of [id, explicit.id, waiting.id])
      (await api.call('cancelOrder', { params: { id: order } })).body(200);
  });

  it('400 for fields that cannot be changed or do not exist, and nothing is changed', async () => {
    const api = await opened({ tide: 2 });
    const before = (await api.call('getAccount')).body(200);
    const bodies = [
      { storage: { retention_days: 90 } },
      { retention_days: 1 },
      { balance_usd: 1_000_000 },
      { price_locked: true },
      { price_lock: true, Price_Lock: true },
    ];
    for (const body of bodies)
      (await update({ ...body, default_price_limit: { tide: 9 } }, api)).refusal(400, 'invalid_request');
    assert.deepEqual((await api.call('getAccount')).body(200), before);
  });

  it('400 for values of the wrong type or out of bounds', async () => {
    const bodies = [
      { price_lock: 'yes' },
      { price_lock: null },
      { price_lock: 1 },
      ...[9, 0, -1, 10.5, 2_592_001, '60', null, true].map((order_timeout_seconds) => ({ order_timeout_seconds })),
      ...[-0.001, 1_000_000_000.5, 1e300, '1', true, [], {}].map((tide) => ({ default_price_limit: { tide } })),
      { default_price_limit: 1 },
      { default_price_limit: null },
      { default_price_limit: [1] },
      [],
      'price_lock',
      null,
    ];
    for (const body of bodies) (await update(body)).refusal(400, 'invalid_request');
    const raw = async (text: string) => server.api.call('updateAccount', { raw: text });
    (await raw('{"price_lock": ')).refusal(400, 'invalid_json');
    (await raw('{"default_price_limit": {"tide": NaN}}')).refusal(400, 'invalid_json');
    (await raw('{"default_price_limit": {"tide": 1e999}}')).refusal(400, 'invalid_request');
  });

  it('400 unknown_model for a model that is not served, with a number or with null', async () => {
    const { param } = (await update({ default_price_limit: { atlantis: 1 } })).refusal(400, 'unknown_model');
    assert.equal(param, 'default_price_limit.atlantis');
    (await update({ default_price_limit: { atlantis: null } })).refusal(400, 'unknown_model');
    (await update({ default_price_limit: { TIDE: 1 } })).refusal(400, 'unknown_model');
    const reply = await server.api.call('updateAccount', { raw: '{"default_price_limit": {"__proto__": 1}}' });
    reply.refusal(400, 'unknown_model');
  });

  it('400 fixed_price_model for a number on a fixed-price model', async () => {
    const { param } = (await update({ default_price_limit: { harbor: 0 } })).refusal(400, 'fixed_price_model');
    assert.equal(param, 'default_price_limit.harbor');
  });

  it('400 when one model is named twice', async () => {
    (await update({ default_price_limit: { tide: 1, 'tide-latest': null } })).refusal(400, 'invalid_request');
  });

  it('413 for a body over 8 MiB', async () => {
    const raw = ' '.repeat(8 * MIB + 1);
    (await server.api.call('updateAccount', { raw })).refusal(413, 'request_too_large');
  });

  it('200 no other account is changed', async () => {
    const [mine, theirs] = [await opened(), await opened()];
    const before = (await theirs.call('getAccount')).body(200);
    (await update({ default_price_limit: { tide: 7 } }, mine)).body(200);
    assert.deepEqual((await theirs.call('getAccount')).body(200), before);
  });
});
