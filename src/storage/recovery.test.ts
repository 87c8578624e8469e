/** What a start makes of the orders that a killed gateway left, on every database. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import type { OrderRow } from '#orders/order.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { Accounts } from './accounts.ts';
import { audit } from './audit/index.ts';
import type { Journal } from './journal/index.ts';
import { createOrderStore } from './orders.ts';
import { nextBootEpoch, recover } from './recovery.ts';

const ids = idSource(new ManualClock(startMs));

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
      accountId = await fundedAccount(opened.db, clock, 10_000n);
      await journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs });
    });
    afterEach(() => opened.drop());

    async function stored(order: OrderRow): Promise<OrderRow> {
      const row = await createOrderStore(opened.db).find(accountId, order.id);
      assert.ok(row);
      return row;
    }
    const held = async () => (await new Accounts({ db: opened.db, clock, ids }).show(accountId)).held;

    test('each boot has a number of its own, one above the last', async () => {
      assert.equal(await nextBootEpoch(opened.db), 1);
      const both = await Promise.all([nextBootEpoch(opened.db), nextBootEpoch(opened.db)]);
      assert.deepEqual(both.sort(), [2, 3]);
    });

    test('orders whose caller is gone end uncharged, and their holds with them', async () => {
      const [queued, executing] = [orderRow({ accountId, resultState: 'promised' }), orderRow({ accountId })];
      await journal.write(acceptUnit(queued));
      await journal.write(acceptUnit(executing, { admission: admissionOf(60n) }));
      await clock.advance(1000);
      const { ended, orders } = await recover(opened.db, { bootEpoch: 2, clock });
      assert.deepEqual([ended, orders], [2, []]);
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

    test('orders that outlive their caller return to the book with their attempts, place, key and input', async () => {
      const order = orderRow({ accountId, outlives: true, detached: true });
      const idempotency = {
        accountId,
        endpoint: 'chat',
        key: 'k',
        orderId: order.id,
        fingerprint: 'f',
        createdAtMs: startMs,
        expiresAtMs: startMs + DAY_MS,
      };
      const admission = admissionOf(60n, { restedSeq: 77 });
      await journal.write(acceptUnit(order, { admission, idempotency, body: { messages: [] } }));
      await clock.advance(1001);
      const { ended, orders } = await recover(opened.db, { bootEpoch: 2, clock });
      assert.deepEqual([ended, orders], [0, [await withoutUsage(order)]]);
      assert.deepEqual(orders[0], {
        ...order,
        attempt: 1,
        priceCap: 500_000_000,
        restedSeq: 77,
        // It was admitted a millisecond after its creation.
        expiresAtMs: order.expiresAtMs + 1000,
        bootEpoch: 2,
      });
      assert.equal(await held(), 0n);
      const store = createOrderStore(opened.db);
      assert.deepEqual(await store.body(order.id), { messages: [] });
      assert.equal((await store.findKey(accountId, 'chat', 'k'))?.orderId, order.id);

      // The settlement of the attempt that was under way is stale now.
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
      const first = await recover(opened.db, { bootEpoch: 2, clock });
      assert.equal(first.orders.length, 2);
      assert.equal((await stored(mine)).status, 'executing');
      assert.deepEqual(await recover(opened.db, { bootEpoch: 2, clock }), first);
      assert.equal(await held(), 60n);
    });

    test('a hold that belongs to no order is let go', async () => {
      await opened.db.knex('accounts').where({ id: accountId }).update({ held: 500 });
      assert.equal((await audit(opened.db, null)).ok, false);
      await recover(opened.db, { bootEpoch: 2, clock });
      assert.equal(await held(), 0n);
    });

    test('more orders than one transaction takes are all recovered', async () => {
      const orders = Array.from({ length: 1203 }, (_, index) => orderRow({ accountId, outlives: index % 2 === 0 }));
      await Promise.all(orders.map((order) => journal.write(acceptUnit(order))));
      const recovered = await recover(opened.db, { bootEpoch: 2, clock });
      assert.deepEqual([recovered.ended, recovered.orders.length], [601, 602]);
    });
  });
}

const DAY_MS = 86_400_000;
