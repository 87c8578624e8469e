import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchNow, batchOf, batchWhen, CHAT, ended, entriesOf, line } from './support/batches.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';

const HOUR_S = 3_600;
const DAY_S = 86_400;
const MONTH_S = 2_592_000;

describe('POST /v1/batches with a deadline', () => {
  const server = useServer();
  const nowS = () => Math.floor(server.clock.nowMs() / 1000);
  const timeIn = (seconds: number) => new Date(server.clock.nowMs() + seconds * 1000).toISOString();
  const ordersOf = async (batch: string, api = server.api) =>
    (await api.call('listOrders', { query: { batch, include: 'batch' } })).body(200).data;
  /** A batch whose one line waits, on a market without pods, once it does. */
  async function waiting(fields: Record<string, unknown>, lines = [line('a', { model: 'reef' })], api = server.api) {
    const { id } = await batchOf(api, lines, fields);
    return batchWhen(server, id, ({ status }) => status === 'in_progress', api);
  }
  async function withdraw(id: string) {
    await server.api.call('cancelBatch', { params: { id } });
    await ended(server, id);
  }

  it('200 the batch shows its deadline, at which it expires; null without one', async () => {
    const created = await batchOf(server.api, [line('a', { model: 'reef' })], { deadline: 8 * HOUR_S });
    const { created_at, expires_at, x_market } = created;
    assert.deepEqual([x_market.deadline, expires_at], [created_at + 8 * HOUR_S, created_at + 8 * HOUR_S]);
    assert.equal((await batchNow(server.api, created.id)).x_market.deadline, x_market.deadline);
    const [listed] = (await server.api.call('listBatches', { query: { limit: 1 } })).body(200).data;
    assert.equal(listed?.x_market.deadline, x_market.deadline);
    await withdraw(created.id);
    const plain = await batchOf(server.api, [line('a')], { deadline: null });
    assert.deepEqual([plain.x_market.deadline, plain.expires_at - plain.created_at], [null, DAY_S]);
    assert.equal((await ended(server, plain.id)).status, 'completed');
  });

  it('200 each line is an order with that deadline, and bids up to its own limit, that of the batch or the default', async () => {
    const { key } = await server.createAccount({ creditUsd: 10, priceLimits: { reef: 3 } });
    const api = server.api.as(key);
    const lines = [line('own', { model: 'reef', price_limit: 2 }), line('other', { model: 'reef' })];
    for (const [price_limit, other] of [
      [4, 4],
      [null, 3],
    ]) {
      const batch = await waiting({ deadline: HOUR_S, price_limit }, lines, api);
      const orders = await ordersOf(batch.id, api);
      const byLine = Object.fromEntries(orders.map((order) => [order.custom_id, order]));
      for (const [name, limit] of [
        ['own', 2],
        ['other', other],
      ] as const) {
        const { strategy, expires_at } = byLine[name] ?? {};
        assert.deepEqual([strategy?.kind, strategy?.price_limit, strategy?.at_limit], ['deadline', limit, true]);
        assert.equal(strategy?.deadline, expires_at);
        assert.equal(Math.floor(Date.parse(expires_at ?? '') / 1000), batch.x_market.deadline);
      }
      await api.call('cancelBatch', { params: { id: batch.id } });
      await ended(server, batch.id, api);
    }
  });

  it('200 where slots are free its lines start at once, at the lowest price there is', async () => {
    const { id } = await batchOf(server.api, [line('a'), line('b')], { deadline: HOUR_S });
    const batch = await ended(server, id);
    assert.deepEqual(batch.request_counts, { total: 2, completed: 2, failed: 0 });
    for (const { bid, strategy } of await ordersOf(id)) {
      assert.ok(bid < 5, `${bid} is not below the limit`);
      assert.equal(strategy?.price_limit, 5);
    }
  });

  it('200 a time works too, and a wait says how far away the deadline may be', async () => {
    for (const [deadline, max_wait, leftS] of [
      [() => timeIn(2 * HOUR_S), null, 2 * HOUR_S],
      [() => timeIn(2 * HOUR_S), 3 * HOUR_S, 2 * HOUR_S],
      [() => 3 * DAY_S, 3 * DAY_S, 3 * DAY_S],
      [() => MONTH_S, MONTH_S, MONTH_S],
      [() => 1, null, 10],
    ] as const) {
      const createdS = nowS();
      const batch = await batchOf(server.api, [line('a')], { deadline: deadline(), max_wait });
      assert.equal(batch.x_market.deadline, createdS + leftS);
      assert.equal(batch.expires_at, batch.x_market.deadline);
      assert.equal((await ended(server, batch.id)).status, 'completed');
    }
  });

  it('200 lines that have not started by then are in the error file as expired, uncharged', async () => {
    const batch = await server.uncharged(async () => {
      const { id } = await waiting({ deadline: 20, max_wait: HOUR_S });
      return ended(server, id);
    });
    assert.deepEqual([batch.status, batch.x_market.expired], ['expired', 1]);
    assert.ok((batch.expired_at ?? 0) >= (batch.x_market.deadline ?? 0));
    const { errors } = await entriesOf(server.api, batch);
    assert.deepEqual(
      errors.map(({ custom_id, error }) => [custom_id, error?.code]),
      [['a', 'expired']],
    );
  });

  it('200 on a fixed-price model it only says when its lines expire', async () => {
    const batch = await waiting({ deadline: HOUR_S }, [line('a', { model: 'shoal' })]);
    const [order] = await ordersOf(batch.id);
    assert.equal(order?.strategy, undefined);
    assert.equal(Math.floor(Date.parse(order?.expires_at ?? '') / 1000), batch.x_market.deadline);
    await withdraw(batch.id);
  });

  it('200 a line with a deadline of its own, or without any price limit, has failed, and its neighbours run', async () => {
    const lines = [
      line('own', { deadline: 60 }),
      line('no price', { model: 'reef' }),
      line('good', { price_limit: 5 }),
    ];
    const { id } = await batchOf(server.api, lines, { deadline: HOUR_S, price_limit: null });
    const batch = await ended(server, id);
    const { output, errors } = await entriesOf(server.api, batch);
    assert.deepEqual(
      output.map(({ custom_id }) => custom_id),
      ['good'],
    );
    assert.deepEqual(Object.fromEntries(errors.map(({ custom_id, error }) => [custom_id, error?.code])), {
      own: 'invalid_request',
      'no price': 'invalid_request',
    });
    assert.match(errors.find(({ custom_id }) => custom_id === 'own')?.error?.message ?? '', /give it to the batch/);
  });

  it('400 for a deadline that is past, too far away, after the window, or none; nothing is created', async () => {
    const { id: input_file_id } = await upload(server.api, line('a'));
    const last = async () => (await server.api.call('listBatches', { query: { limit: 1 } })).body(200).first_id;
    const before = await last();
    const wrong: [unknown, number?][] = [
      ...[0, -1, 1.5, MONTH_S + 1, '60', 'soon', '2027-01-31', '2027-02-30T00:00:00Z', {}, true].map(
        (deadline): [unknown] => [deadline],
      ),
      [timeIn(-60)],
      ['2999-01-01T00:00:00Z', MONTH_S],
      [DAY_S + 1],
      [timeIn(DAY_S + 60)],
      [HOUR_S + 1, HOUR_S],
    ];
    for (const [deadline, max_wait] of wrong) {
      const body = { input_file_id, endpoint: CHAT, deadline, ...(max_wait ? { max_wait } : {}) };
      const reply = await server.uncharged(() => server.api.call('createBatch', { body }));
      assert.equal(reply.refusal(400, 'invalid_request').param, 'deadline', JSON.stringify(deadline));
    }
    assert.equal(await last(), before);
  });

  it('400 for a deadline in a header, which would be ignored: nothing is created', async () => {
    const { id: input_file_id } = await upload(server.api, line('a'));
    const last = async () => (await server.api.call('listBatches', { query: { limit: 1 } })).body(200).first_id;
    const before = await last();
    for (const deadline of [undefined, HOUR_S]) {
      const body = { input_file_id, endpoint: CHAT, price_limit: 5, ...(deadline ? { deadline } : {}) };
      const reply = await server.api.call('createBatch', { body, headers: { 'x-deadline': '3600' } });
      const { param, message } = reply.refusal(400, 'invalid_request');
      assert.equal(param, 'x-deadline');
      assert.match(message, /in its body/);
    }
    assert.equal(await last(), before);
  });

  it('400 for a dry run, as for any batch', async () => {
    const { id: input_file_id } = await upload(server.api, line('a'));
    const body = { input_file_id, endpoint: CHAT, deadline: HOUR_S };
    const reply = await server.api.call('createBatch', { body, headers: { 'x-dry-run': 'true' } });
    reply.refusal(400, 'invalid_request');
  });
});

describe('POST /v1/batches with a deadline and more lines than may wait', () => {
  const server = useServer({ limits: { queued_batch_orders_per_account: 5 } });

  it('200 lines take turns, and leave places to a batch that is to start at once', async () => {
    const lines = Array.from({ length: 8 }, (_, at) => line(`line ${at}`, { model: 'reef' }));
    const patient = await batchOf(server.api, lines, { deadline: 8 * HOUR_S });
    const orders = async () => (await server.api.call('listOrders', { query: { batch: patient.id } })).body(200).data;
    await batchWhen(server, patient.id, ({ x_market }) => x_market.active === 4);
    const urgent = await batchOf(server.api, [line('now')]);
    assert.equal((await ended(server, urgent.id)).status, 'completed');
    const turns = await orders();
    assert.equal(turns.length, 4);
    for (const { strategy, expires_at } of turns) {
      const hours = (Date.parse(strategy?.deadline ?? '') / 1000 - patient.created_at) / HOUR_S;
      assert.equal(Math.round(hours), 4);
      assert.equal(Math.floor(Date.parse(expires_at) / 1000), patient.x_market.deadline);
    }
    await server.api.call('cancelBatch', { params: { id: patient.id } });
    const batch = await ended(server, patient.id);
    assert.deepEqual([batch.status, batch.x_market.canceled], ['cancelled', 8]);
  });
});
