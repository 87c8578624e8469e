/** What a start does with the orders that a killed gateway left, on every database. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { idSource } from '#base/id.ts';
import { wholeAccount } from '#base/reach.ts';
import { chargeOf } from '#ledger/tariff.ts';
import type { OrderRow } from '#orders/order.ts';
import { fundedAccount, liveOrdersOf, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { untilBlocked } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, marketTariff, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { keyOf } from '#testing/order-units.ts';
import { audit } from '../audit/index.ts';
import type { Journal } from '../journal/journal.ts';
import { createAdoptionStore } from './adoption.ts';
import { recover } from './recovery.ts';
import { createOrderStore } from './store.ts';

const ids = idSource(new ManualClock(startMs));
const CHARGE = chargeOf(marketTariff, 500_000_000, { uncached: 10, cached: 90, output: 5 });

for (const tested of testedDatabases) {
  describe(`recovery on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;
    let accountId: string;
    let clock: ManualClock;

    beforeEach(async () => {
      clock = new ManualClock(startMs);
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
      accountId = await fundedAccount(opened.db, clock, 10n ** 15n);
      await journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs });
    });
    afterEach(() => opened.drop());

    async function stored(order: OrderRow): Promise<OrderRow> {
      const row = await createOrderStore(opened.db).find(wholeAccount(accountId), order.id);
      assert.ok(row);
      return row;
    }
    const held = async () => (await new Accounts({ db: opened.db, clock, ids }).show(accountId)).held;

    test('orders whose caller is gone end uncharged, and their holds are released', async () => {
      const [queued, executing] = [orderRow({ accountId, resultState: 'promised' }), orderRow({ accountId })];
      await journal.write(acceptUnit(queued));
      await journal.write(acceptUnit(executing, { admission: admissionOf(60n) }));
      await clock.advance(1000);
      assert.deepEqual(await recover(opened.db, { bootEpoch: 2, clock }), { ended: 2, returned: 0 });
      const ends = [await stored(queued), await stored(executing)].map((row) => [
        row.status,
        row.error,
        row.finishedAtMs,
        row.hold,
        row.resultState,
      ]);
      assert.deepEqual(ends, [
        ['canceled', 'gateway_restarted', startMs + 1000, 0n, 'none'],
        ['error', 'gateway_restarted', startMs + 1000, 0n, 'none'],
      ]);
      assert.equal(await held(), 0n);
      assert.deepEqual((await audit(opened.db, null)).findings, []);
    });

    test('an order whose row cannot be read stops no start: it stays as it is, and is the new boot’s', async () => {
      const [broken, whole] = [orderRow({ accountId }), orderRow({ accountId })];
      for (const order of [broken, whole]) await journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
      await opened.db.knex('orders').where({ id: broken.id }).update({ result_state: 'none of these' });
      assert.deepEqual(await recover(opened.db, { bootEpoch: 2, clock }), { ended: 1, returned: 0 });
      const row = await opened.db.knex('orders').where({ id: broken.id }).first('status', 'boot_epoch');
      assert.deepEqual([row.status, Number(row.boot_epoch), (await stored(whole)).status], ['executing', 2, 'error']);
      assert.equal(await held(), 60n);
      const [page] = await Array.fromAsync(createAdoptionStore(opened.db).liveOrders(2));
      assert.deepEqual(
        page?.unreadable.map(({ id }) => id),
        [broken.id],
      );
    });

    test('an order that another gateway is settling at that moment is not ended as well', {
      skip: tested.name === 'SQLite' && 'there a gateway cannot start beside another',
    }, async () => {
      const [settled, left] = [orderRow({ accountId }), orderRow({ accountId })];
      for (const order of [settled, left]) await journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
      const other = await opened.db.knex.transaction();
      await other('orders').where({ id: settled.id }).update({ status: 'done', finished_at_ms: startMs, hold: 0 });
      const recovered = recover(opened.db, { bootEpoch: 2, clock });
      await untilBlocked(opened.db);
      await other.commit();
      assert.equal((await recovered).ended, 1);
      assert.deepEqual([(await stored(settled)).status, (await stored(left)).status], ['done', 'error']);
      assert.equal(await held(), 0n);
    });

    test('the key of an order that ends with its caller is free after a start, and that of a charged one is not', async () => {
      const orders = [orderRow({ accountId }), orderRow({ accountId }), orderRow({ accountId })] as const;
      const [, , settled] = orders;
      for (const [at, order] of orders.entries()) {
        const admission = at === 0 ? null : admissionOf(10n);
        const idempotency = keyOf(order, { key: `k${at}` });
        await journal.write(acceptUnit(order, { admission, idempotency }));
      }
      await journal.write(settleUnit(settled, 10n, { hold: 10n }));
      assert.equal((await recover(opened.db, { bootEpoch: 2, clock })).ended, 2);
      const store = createOrderStore(opened.db);
      const names = orders.map((_, at) => `k${at}`);
      const keys = await store.findKeys(accountId, 'chat', names);
      assert.deepEqual(
        keys.map(({ orderId }) => orderId),
        [settled.id],
      );
    });

    test('orders that outlive their caller return to the book with their attempts, place, key and input', async () => {
      const order = orderRow({ accountId, outlives: true, detached: true });
      const idempotency = keyOf(order);
      const admission = admissionOf(60n, { restedSeq: 77 });
      await journal.write(acceptUnit(order, { admission, idempotency, body: '{"messages":[]}' }));
      await clock.advance(1001);
      assert.deepEqual(await recover(opened.db, { bootEpoch: 2, clock }), { ended: 0, returned: 1 });
      const orders = await liveOrdersOf(opened.db, 2);
      assert.deepEqual(orders, [await withoutUsage(order)]);
      assert.deepEqual(orders[0], {
        ...order,
        attempt: 1,
        firstPrice: 500_000_000,
        restedSeq: 77,
        // It was admitted a millisecond after its creation.
        expiresAtMs: order.expiresAtMs + 1000,
        bootEpoch: 2,
      });
      assert.equal(await held(), 0n);
      const store = createOrderStore(opened.db);
      assert.deepEqual(await store.body(order.id), { messages: [] });
      assert.equal((await store.findKeys(accountId, 'chat', ['k']))[0]?.orderId, order.id);

      // The settlement of the interrupted attempt is stale now.
      assert.deepEqual(await journal.write(settleUnit(order, 42n)), { result: 'stale' });
    });

    async function withoutUsage(order: OrderRow): Promise<OrderRow> {
      const { usage, ...row } = { usage: null, ...(await stored(order)) };
      assert.equal(usage, null);
      return row;
    }

    test('orders of this boot are left alone, and a second recovery changes nothing', async () => {
      const mine = orderRow({ accountId, bootEpoch: 2 });
      await journal.write(acceptUnit(mine, { admission: admissionOf(60n) }));
      await journal.write(acceptUnit(orderRow({ accountId, outlives: true })));
      assert.deepEqual(await recover(opened.db, { bootEpoch: 2, clock }), { ended: 0, returned: 1 });
      const live = await liveOrdersOf(opened.db, 2);
      assert.equal(live.length, 2);
      assert.equal((await stored(mine)).status, 'executing');
      assert.deepEqual(await recover(opened.db, { bootEpoch: 2, clock }), { ended: 0, returned: 0 });
      assert.deepEqual(await liveOrdersOf(opened.db, 2), live);
      assert.equal(await held(), 60n);
    });

    describe('recovery of an order', () => {
      const lives = ['is gone', 'lives on'] as const;
      const become = {
        queued: { 'is gone': ['canceled', 'gateway_restarted'], 'lives on': ['queued', null] },
        executing: { 'is gone': ['error', 'gateway_restarted'], 'lives on': ['queued', null] },
        requeued: { 'is gone': ['canceled', 'gateway_restarted'], 'lives on': ['queued', null] },
        done: { 'is gone': ['done', null], 'lives on': ['done', null] },
        failed: { 'is gone': ['error', 'backend_error'], 'lives on': ['error', 'backend_error'] },
        canceled: { 'is gone': ['canceled', 'order_canceled'], 'lives on': ['canceled', 'order_canceled'] },
        expired: { 'is gone': ['expired', 'order_expired'], 'lives on': ['expired', 'order_expired'] },
      } as const;

      for (const [was, ends] of Object.entries(become)) {
        for (const caller of lives) {
          test(`that was ${was} and whose caller ${caller}`, async () => {
            const order = orderRow({ accountId, outlives: caller === 'lives on' });
            await bring(order, was);
            const before = await stored(order);
            await clock.advance(1000);
            await recover(opened.db, { bootEpoch: 2, clock });
            const { usage, ...after } = { usage: null, ...(await stored(order)) };
            assert.deepEqual([after.status, after.error, after.hold], [...ends[caller], 0n]);
            const untouched = before.finishedAtMs !== null;
            assert.deepEqual(
              [after.bootEpoch, after.finishedAtMs === before.finishedAtMs],
              [untouched ? 1 : 2, untouched || after.status === 'queued'],
            );
            if (was === 'queued' || was === 'requeued') assert.equal(after.expiresAtMs, before.expiresAtMs);
            assert.equal(usage !== null, was === 'done');
            assert.equal(await held(), 0n);
            assert.deepEqual((await audit(opened.db, null)).findings, []);
          });
        }
      }

      async function bring(order: OrderRow, to: string): Promise<void> {
        const { id: orderId } = order;
        const runs = ['executing', 'requeued', 'done', 'failed'].includes(to);
        await journal.write(acceptUnit(order, { admission: runs ? admissionOf(CHARGE) : null }));
        const finishedAtMs = startMs + 9;
        const errorMessage = 'It ended.';
        if (to === 'done') await journal.write(settleUnit(order, CHARGE));
        const ran = { orderId, accountId, attempt: 1 };
        if (to === 'requeued') await journal.write({ kind: 'requeue', ...ran, expiresAtMs: startMs + 7, failures: 1 });
        if (to === 'failed') {
          await journal.write({ kind: 'fail', ...ran, finishedAtMs, error: 'backend_error', errorMessage });
        }
        if (to === 'canceled' || to === 'expired') {
          await journal.write({
            kind: 'close',
            orderId,
            accountId,
            status: to,
            finishedAtMs,
            error: `order_${to}`,
            errorMessage,
          });
        }
      }
    });

    test('a line that ran waits no longer than its batch, and a clock that went back costs no other order time', async () => {
      const line = orderRow({ accountId, outlives: true, batchId: 'batch_1' });
      const other = orderRow({ accountId, outlives: true });
      for (const order of [line, other]) {
        const admission = admissionOf(60n, { atMs: startMs + 5000 });
        await journal.write(acceptUnit(order, { admission }));
      }
      const back = new ManualClock(startMs + 2000);
      await recover(opened.db, { bootEpoch: 2, clock: back });
      for (const order of [line, other]) assert.equal((await stored(order)).expiresAtMs, order.expiresAtMs);
    });

    test('a start that is killed midway is finished by the next one, and each order counts once', async () => {
      const orders = Array.from({ length: 7 }, (_, at) => orderRow({ accountId, outlives: at === 0 }));
      for (const order of orders) await journal.write(acceptUnit(order, { admission: admissionOf(10n) }));
      await clock.advance(1000);
      await recover(opened.db, { bootEpoch: 2, clock });
      await opened.db.knex('accounts').where({ id: accountId }).update({ held: 70 });
      assert.deepEqual(await recover(opened.db, { bootEpoch: 3, clock }), { ended: 0, returned: 1 });
      assert.deepEqual(
        (await liveOrdersOf(opened.db, 3)).map(({ id }) => id),
        [orders[0]?.id],
      );
      assert.equal(await held(), 0n);
      assert.deepEqual((await audit(opened.db, null)).findings, []);
    });

    test('orders of a suspended account and of the house are recovered like any other', async () => {
      const accounts = new Accounts({ db: opened.db, clock, ids });
      const { id: house } = await accounts.house();
      const [probe, order] = [orderRow({ accountId: house, house: true }), orderRow({ accountId, outlives: true })];
      for (const each of [probe, order]) await journal.write(acceptUnit(each, { admission: admissionOf(60n) }));
      await accounts.suspend(accountId, COMMAND_LINE);
      await clock.advance(1000);
      assert.deepEqual(await recover(opened.db, { bootEpoch: 2, clock }), { ended: 1, returned: 1 });
      assert.equal((await accounts.show(house)).held, 0n);
      assert.deepEqual((await audit(opened.db, null)).findings, []);
    });

    test('a hold that belongs to no order is released', async () => {
      await opened.db.knex('accounts').where({ id: accountId }).update({ held: 500 });
      assert.equal((await audit(opened.db, null)).ok, false);
      await recover(opened.db, { bootEpoch: 2, clock });
      assert.equal(await held(), 0n);
    });

    test('more orders than fit one transaction are all recovered', async () => {
      const orders = Array.from({ length: 1203 }, (_, index) => orderRow({ accountId, outlives: index % 2 === 0 }));
      await Promise.all(orders.map((order) => journal.write(acceptUnit(order))));
      assert.deepEqual(await recover(opened.db, { bootEpoch: 2, clock }), { ended: 601, returned: 602 });
    });
  });
}
