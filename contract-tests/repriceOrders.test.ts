import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const MIB = 1024 * 1024;
const good = { body: { ids: [NOBODY], price_limit: 1 } };

describe('POST /v1/orders/price', () => {
  const server = useServer();
  itNeedsAKey(server, 'repriceOrders', good);
  itSurvivesAnOutage(server, 'repriceOrders', good);
  itHasARate('account_operations_per_minute_per_account', 'repriceOrders', good);

  const reprice = (ids: unknown, price_limit: unknown, api = server.api) =>
    api.call('repriceOrders', { body: { ids, price_limit } });
  const codes = async (...asked: Parameters<typeof reprice>) =>
    (await reprice(...asked)).body(200).data.map(({ code }) => code);
  const place = async (fields: Record<string, unknown> = {}, api = server.api) => {
    const body = chat({ model: 'reef', detached: true, ...fields });
    return (await api.call('createChatCompletion', { body })).body(202).id;
  };
  const orderOf = async (id: string, api = server.api) => (await api.call('getOrder', { params: { id } })).body(200);
  const customer = async (creditUsd = 100) => server.api.as((await server.createAccount({ creditUsd })).key);

  // Spec 4.6-29
  it('200 queued orders rest at their new price, otherwise unchanged', async () => {
    const ids = [await place(), await place({ max_wait: 60 })];
    const before = await Promise.all(ids.map((id) => orderOf(id)));
    const answer = (await server.uncharged(() => reprice(ids, 7.5))).body(200);
    const changed = (id: string | undefined) => ({ id, changed: true, code: null, reason: null });
    assert.deepEqual(answer, { object: 'list', price_limit: 7.5, changed: 2, data: ids.map(changed) });
    const after = await Promise.all(ids.map((id) => orderOf(id)));
    assert.deepEqual(
      after.map(({ queue_position: _, ...order }) => order),
      before.map(({ queue_position: _, ...order }) => ({ ...order, bid: 7.5 })),
    );
    for (const id of ids) await server.api.call('cancelOrder', { params: { id } });
  });

  // Spec 3-17
  it('200 a repriced order joins behind those already at its new price, even if that is its old price', async () => {
    const api = await customer();
    const [first, second, third] = [await place({}, api), await place({}, api), await place({ price_limit: 9 }, api)];
    const line = async () => {
      const orders = await Promise.all([first, second, third].map((id) => orderOf(id, api)));
      return orders.map(({ queue_position }) => queue_position);
    };
    assert.deepEqual(await line(), [2, 3, 1]);
    await reprice([first], 9, api);
    assert.deepEqual(await line(), [2, 3, 1]);
    await reprice([third], 9, api);
    assert.deepEqual(await line(), [1, 3, 2]);
    await reprice([first, third], 5, api);
    assert.deepEqual(await line(), [2, 1, 3]);
    await reprice([first, second, third], 0, api);
    assert.deepEqual(await line(), [1, 2, 3]);
    for (const id of [first, second, third]) await api.call('cancelOrder', { params: { id } });
  });

  it('200 duplicate ids count once, in upper or lower case, and fractions of a nano-dollar are dropped', async () => {
    const id = await place();
    const answer = (await reprice([id, id.toUpperCase(), id], 0.1234567899)).body(200);
    assert.deepEqual([answer.changed, answer.data.length, answer.price_limit], [1, 1, 0.123456789]);
    assert.equal((await orderOf(id)).bid, 0.123456789);
    await server.api.call('cancelOrder', { params: { id } });
  });

  it('200 not_queued for orders that run, have ended, do not exist or are someone else’s, which do not change', async () => {
    const other = await customer();
    const theirs = await place({}, other);
    const done = (await server.api.call('createChatCompletion', { body: chat() })).orderId;
    const canceled = await place();
    await server.api.call('cancelOrder', { params: { id: canceled } });
    const finish = server.holdAnswers();
    const running = await place({ model: 'tide' });
    await server.orders({ executing: 1 });
    const ids = [theirs, done, canceled, running, NOBODY, 'not-an-id', "' OR 1=1 --", ''];
    const { changed, data } = (await reprice(ids, 8)).body(200);
    assert.equal(changed, 0);
    assert.deepEqual(
      data.map(({ id, code }) => [id, code]),
      ids.map((id) => [id.toLowerCase(), 'not_queued']),
    );
    for (const { reason } of data) assert.match(reason ?? '', /\S/);
    assert.equal((await orderOf(theirs, other)).bid, 5);
    assert.equal((await orderOf(done)).bid, 5);
    finish();
    await server.orders({ executing: 0 });
    await other.call('cancelOrder', { params: { id: theirs } });
  });

  it('200 price_locked, fixed_price_model and too_large beside a changed order', async () => {
    const api = await customer(0.001);
    const short = (fields = {}) => place({ max_tokens: 1, ...fields }, api);
    const [locked, fixed] = [await short({ price_lock: true }), await short({ model: 'shoal' })];
    // The level is 1 USD: what counts is the worst case at the level, not at 1,000 USD.
    const [large, plain] = [await short({ max_tokens: 1000, price_limit: 0.01 }), await short()];
    const { changed, data } = (await reprice([locked, fixed, large, plain], 1000, api)).body(200);
    assert.equal(changed, 1);
    assert.deepEqual(
      data.map(({ code }) => code),
      ['price_locked', 'fixed_price_model', 'too_large', null],
    );
    assert.deepEqual((await orderOf(large, api)).bid, 0.01);
    assert.deepEqual((await orderOf(plain, api)).bid, 1000);
    for (const id of [locked, fixed, large, plain]) await api.call('cancelOrder', { params: { id } });
  });

  it('200 for as many as five hundred ids, and for the bounds of a price', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `id-${index}`);
    assert.equal((await reprice(ids, 0)).body(200).data.length, 500);
    assert.deepEqual(await codes([NOBODY], 1_000_000_000), ['not_queued']);
  });

  it('400 unless ids is a list of 1 to 500 strings', async () => {
    const many = Array.from({ length: 501 }, () => NOBODY);
    for (const ids of [[], many, NOBODY, null, {}, [1], [null], [[NOBODY]]]) {
      (await reprice(ids, 1)).refusal(400, 'invalid_request');
    }
    (await server.api.call('repriceOrders', { body: { price_limit: 1 } })).refusal(400, 'invalid_request');
  });

  it('400 for a price that is missing, not a number or out of bounds', async () => {
    for (const limit of [-1, 1_000_000_000.01, '1', null, true, [1]]) {
      assert.equal((await reprice([NOBODY], limit)).refusal(400, 'invalid_price_limit').param, 'price_limit');
    }
    (await server.api.call('repriceOrders', { body: { ids: [NOBODY] } })).refusal(400, 'invalid_request');
    (await server.api.call('repriceOrders', { raw: '{"ids": [' })).refusal(400, 'invalid_json');
  });

  it('413 for a body over 8 MiB', async () => {
    const raw = ' '.repeat(8 * MIB + 1);
    (await server.api.call('repriceOrders', { raw })).refusal(413, 'request_too_large');
  });

  // Spec 4.6-30
  it('503 with Retry-After when the change did not commit in time, and it is applied later', async () => {
    const id = await place();
    await server.withoutCommits(async (passTimeUntil) => {
      const reply = await passTimeUntil(reprice([id], 6));
      assert.match(reply.refusal(503, 'unavailable').message, /applied later/);
      assert.ok(Number(reply.headers['retry-after']) >= 1);
      assert.equal((await orderOf(id)).bid, 5);
    });
    assert.equal((await orderOf(id)).bid, 6);
    await server.api.call('cancelOrder', { params: { id } });
  });
});
