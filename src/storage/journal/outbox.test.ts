/** The outbox on every database: a row for each endpoint that subscribes to an event, committed with its change or not at all. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { OwnAccount } from '#accounts/account/own-account.ts';
import { type EndpointSettings, EndpointStore } from '#accounts/webhooks/endpoint-store.ts';
import { OutboxStore } from '#accounts/webhooks/outbox-store.ts';
import { idSource } from '#base/id.ts';
import type { OrderRow } from '#orders/order.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { close, keyOf } from '#testing/order-units.ts';
import { recover } from '../orders/recovery.ts';
import { orderEvents } from './webhook-event.ts';

const SETTINGS = {
  url: 'https://example.com/hooks',
  description: '',
  events: orderEvents,
  allOrders: false,
  prices: [],
  enabled: true,
} satisfies EndpointSettings;
const WHY = { finishedAtMs: startMs + 9, error: 'backend_error', errorMessage: 'A long story.' };

for (const tested of testedDatabases) {
  describe(`the outbox on ${tested.name}`, { skip: tested.skip }, () => {
    const clock = new ManualClock(startMs);
    const ids = idSource(clock);
    let opened: OpenedJournal;
    let accountId: string;
    beforeEach(async () => {
      opened = await openJournaled(tested, clock);
      accountId = await fundedAccount(opened.db, clock, 10n ** 12n);
    });
    afterEach(() => opened.drop());

    let made = 0;
    const endpoints = () =>
      new EndpointStore({ db: opened.db, clock, ids }, () => `whsec_${'a'.repeat(31)}${made++ % 10}`);
    const by = (account = accountId) => ({ email: 'ada@example.com', accountId: account });
    const create = async (change: Partial<EndpointSettings> = {}, account = accountId) =>
      (await endpoints().create(by(account), { ...SETTINGS, ...change })).endpoint;
    const told = async (endpointId: string) => {
      const rows = await opened.db.knex('webhook_messages').where({ endpoint_id: endpointId }).orderBy('seq');
      return rows.map(({ type, object_id }) => [type, object_id]);
    };
    const order = (change: Partial<OrderRow> = {}) => orderRow({ accountId, ...change });
    const runs = async (row: OrderRow, keyed = false) => {
      const idempotency = keyed ? keyOf(row) : null;
      await opened.journal.write({ ...acceptUnit(row, { admission: admissionOf(5n) }), idempotency });
      return row;
    };

    test('has the ends of detached and keyed orders, and of all where the endpoint asks, once each', async () => {
      const own = await create();
      const all = await create({ allOrders: true });
      const [detached, keyed, plain] = [order({ outlives: true }), order(), order()];
      await runs(detached);
      await runs(keyed, true);
      await runs(plain);
      for (const each of [detached, keyed, plain])
        for (const _again of [1, 2]) await opened.journal.write(settleUnit(each, 3n));
      const ends = [detached, keyed, plain].map(({ id }) => ['order.done', id]);
      assert.deepEqual(await told(own.id), ends.slice(0, 2));
      assert.deepEqual(await told(all.id), ends);
      const [row] = await opened.db.knex('webhook_messages').where({ endpoint_id: own.id }).orderBy('seq');
      const { type, timestamp, data } = JSON.parse(row.body);
      assert.equal(row.event_id, `evt_${detached.id}`);
      assert.ok(row.body.length < 1000);
      assert.deepEqual([type, timestamp], ['order.done', data.finished_at]);
      const created_at = new Date(detached.createdAtMs).toISOString();
      assert.deepEqual(data, {
        ...{ id: detached.id, object: 'order', status: 'done', model: detached.model, kind: 'chat', batch_id: null },
        ...{ created_at, finished_at: data.finished_at, charged_usd: 3e-9, error: null },
      });
    });

    test('has uncharged ends, with their code and without their sentence', async () => {
      const { id } = await create();
      const [fails, expires, canceled, broke] = [1, 2, 3, 4].map(() => order({ outlives: true }));
      assert.ok(fails && expires && canceled && broke);
      await runs(fails);
      await opened.journal.write({ kind: 'fail', orderId: fails.id, accountId, attempt: 1, ...WHY });
      for (const [row, status] of [
        [expires, 'expired'],
        [canceled, 'canceled'],
      ] as const) {
        await opened.journal.write(acceptUnit(row));
        await opened.journal.write(close(row, status));
      }
      await opened.journal.write(acceptUnit(broke, { admission: admissionOf(10n ** 13n) }));
      const later = order();
      await opened.journal.write({ ...acceptUnit(later), idempotency: keyOf(later) });
      await opened.journal.write({
        ...{ kind: 'admit', orderId: later.id, accountId, admission: admissionOf(10n ** 13n) },
      });
      assert.deepEqual(await told(id), [
        ['order.error', fails.id],
        ['order.expired', expires.id],
        ['order.canceled', canceled.id],
        ['order.error', broke.id],
        ['order.error', later.id],
      ]);
      const [row] = await opened.db.knex('webhook_messages').orderBy('seq');
      assert.deepEqual([JSON.parse(row.body).data.error, row.body.includes('story')], ['backend_error', false]);
    });

    test('has the end of a batch, and of its lines only where all orders are asked for', async () => {
      const own = await create({ events: [...orderEvents, 'batch.completed'] });
      const all = await create({ allOrders: true });
      const batch = batchRow({ accountId });
      await opened.journal.write({ kind: 'batch-created', batch });
      const line = order({ batchId: batch.id, customId: 'a', outlives: true });
      await opened.journal.write(acceptUnit(line, { line: 1 }));
      await opened.journal.write(close(line));
      const end = { kind: 'batch-ended', batchId: batch.id, accountId, status: 'completed', atMs: startMs } as const;
      for (const _again of [1, 2])
        await opened.journal.write({ ...end, keyId: null, total: 1, errors: null, files: [] });
      assert.deepEqual(await told(own.id), [['batch.completed', batch.id]]);
      assert.deepEqual(await told(all.id), [['order.canceled', line.id]]);
    });

    test('has what a start ends of the orders of a process before', async () => {
      const own = await create();
      const all = await create({ allOrders: true });
      const [keyed, plain, silent] = [order({ bootEpoch: 1 }), order({ bootEpoch: 1 }), order({ bootEpoch: 1 })];
      await runs(keyed, true);
      await runs(plain);
      const stranger = await fundedAccount(opened.db, clock, 10n);
      await runs({ ...silent, accountId: stranger });
      await recover(opened.db, { bootEpoch: 2, clock });
      assert.deepEqual(await told(own.id), [['order.error', keyed.id]]);
      assert.deepEqual((await told(all.id)).sort(), [keyed, plain].map(({ id }) => ['order.error', id]).sort());
    });

    test('has nothing for other accounts, disabled endpoints and other events', async () => {
      const off = await create({ enabled: false });
      const batches = await create({ events: ['batch.failed'], allOrders: true });
      const other = await create({}, await fundedAccount(opened.db, clock, 1n));
      const removed = await create();
      await endpoints().remove(by(), removed.id);
      const row = await runs(order({ outlives: true }));
      await opened.journal.write(settleUnit(row, 3n));
      for (const { id } of [off, batches, other, removed]) assert.deepEqual(await told(id), [], id);
      const [{ webhooks }] = await opened.db.knex('accounts').where({ id: accountId });
      assert.equal(Number(webhooks), 4, 'and the journal looks for batches only');
    });

    test('gives what is due, of each object the first; none of a disabled endpoint, which gets it when it is on again', async () => {
      const { id } = await create();
      const store = new OutboxStore({ db: opened.db, clock });
      const [one, two] = [await endpoints().test(by(), id), await endpoints().test(by(), id)];
      const row = await runs(order({ outlives: true }));
      await opened.journal.write(settleUnit(row, 3n, { finishedAtMs: startMs }));
      const due = async (nowMs: number) => (await store.due(id, nowMs, 10))?.messages.map(({ eventId }) => eventId);
      assert.deepEqual(await store.dueEndpoints(startMs - 1), []);
      assert.deepEqual(await store.dueEndpoints(startMs), [id]);
      const events = [one.eventId, `evt_${row.id}`].sort();
      assert.deepEqual((await due(startMs))?.sort(), events, 'the second test waits for the first');
      const tried = {
        kind: 'webhook-tried',
        seq: one.seq,
        attempts: 1,
        atMs: startMs,
        status: 500,
        error: 'x',
      } as const;
      await opened.journal.write({ ...tried, nextAtMs: startMs + 5000 });
      assert.deepEqual(await due(startMs), [`evt_${row.id}`]);
      await opened.journal.write({ ...tried, attempts: 2, status: 200, error: null, nextAtMs: null });
      assert.ok((await due(startMs))?.includes(two.eventId));
      await store.disable({ id, accountId }, 'It answered with 410.');
      assert.deepEqual([await store.dueEndpoints(startMs), await store.due(id, startMs, 10)], [[], null]);
      const [endpoint] = await endpoints().list(accountId);
      assert.deepEqual(
        [endpoint?.enabled, endpoint?.disabledReason, endpoint?.disabledAtMs],
        [false, 'It answered with 410.', startMs],
      );
      await endpoints().change(by(), id, { enabled: true });
      assert.equal((await due(startMs))?.length, 2);
    });

    test('disables an endpoint, and notes an attempt, for a reason that is longer than its column', async () => {
      const { id } = await create();
      const { seq } = await endpoints().test(by(), id);
      const error = `${'The name 𝄞 is wrong. '.repeat(30)}`;
      const tried = { attempts: 1, atMs: startMs, status: null, nextAtMs: startMs + 5 };
      await opened.journal.write({ kind: 'webhook-tried', seq, ...tried, error });
      await new OutboxStore({ db: opened.db, clock }).disable({ id, accountId }, error);
      const [endpoint] = await endpoints().list(accountId);
      const [delivery] = await endpoints().deliveries(accountId, id);
      assert.equal(endpoint?.enabled, false);
      const cut = `${[...error].slice(0, 254).join('')}…`;
      assert.deepEqual([endpoint?.disabledReason, delivery?.lastError], [cut, cut]);
    });

    test('keeps the outcome of a message when a former dispatcher notes an attempt late', async () => {
      const { id } = await create();
      const { seq } = await endpoints().test(by(), id);
      const failed = { status: 500, error: 'It answered with 500.', nextAtMs: startMs + 5_000 };
      const tried = { kind: 'webhook-tried', seq, attempts: 1, atMs: startMs } as const;
      await opened.journal.write({ ...tried, ...failed });
      await opened.journal.write({ ...tried, attempts: 2, status: 204, error: null, nextAtMs: null });
      await opened.journal.write({ ...tried, ...failed });
      await opened.journal.write({ ...tried, attempts: 2, ...failed });
      const [delivery] = await endpoints().deliveries(accountId, id);
      assert.deepEqual([delivery?.attempts, delivery?.lastStatus, delivery?.nextAtMs], [2, 204, null]);
    });

    test('is not filled for an account that is closed', async () => {
      const { id } = await create({ allOrders: true });
      await new OwnAccount({ db: opened.db, clock, ids }).close(by().accountId, 'test', by());
      assert.deepEqual(await endpoints().list(accountId), []);
      const [{ webhooks }] = await opened.db.knex('accounts').where({ id: accountId });
      assert.equal(Number(webhooks), 0);
      assert.deepEqual(await told(id), []);
    });

    test('signs with the secret of before as long as it overlaps', async () => {
      const { id } = await create();
      const store = new OutboxStore({ db: opened.db, clock });
      const secrets = async (atMs: number) => (await store.due(id, atMs, 1))?.receiver.secrets;
      const [first = ''] = (await secrets(startMs)) ?? [];
      const { secret } = await endpoints().rotate(by(), id, 60_000);
      assert.deepEqual(await secrets(startMs + 59_999), [secret, first]);
      assert.deepEqual(await secrets(startMs + 60_000), [secret]);
      const { secret: third } = await endpoints().rotate(by(), id, 0);
      assert.deepEqual(await secrets(startMs), [third]);
      const rows = await opened.db.knex('audit_log').orderBy('id');
      assert.deepEqual(
        rows.map(({ what }) => what),
        ['webhook.create', 'webhook.rotate', 'webhook.rotate'],
      );
      assert.ok(!JSON.stringify(rows, (_, value) => String(value)).includes('whsec_'));
    });
  });
}
