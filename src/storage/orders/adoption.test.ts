/** What an adopter finds of a dead gateway, and what is its own afterwards. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { OrderRow } from '#orders/order.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { fundedAccount, liveOrdersOf, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { createAdoptionStore } from './adoption.ts';

for (const tested of testedDatabases) {
  describe(`adoption on ${tested.name}`, { skip: tested.skip }, () => {
    const clock = new ManualClock(startMs);
    let opened: OpenedJournal;
    let accountId: string;

    beforeEach(async () => {
      opened = await openJournaled(tested, clock);
      accountId = await fundedAccount(opened.db, clock, 10n ** 12n);
    });
    afterEach(() => opened.drop());

    async function order(bootEpoch: number, runs = false): Promise<OrderRow> {
      const made = orderRow({ accountId, bootEpoch });
      await opened.journal.write(acceptUnit(made, { admission: runs ? admissionOf(60n) : null }));
      return made;
    }

    async function liveOf(gateway: number): Promise<readonly string[]> {
      return (await liveOrdersOf(opened.db, gateway)).map(({ id }) => id);
    }

    test('it finds the live orders of that gateway alone', async () => {
      const [waits, runs, done] = [await order(3), await order(3, true), await order(3, true)];
      await opened.journal.write(settleUnit(done, 42n));
      await order(4);
      assert.deepEqual(await liveOf(3), [waits.id, runs.id]);
    });

    test('many orders come in pages', async () => {
      const many = Array.from({ length: 501 }, () => orderRow({ accountId, bootEpoch: 3 }));
      await Promise.all(many.map((made) => opened.journal.write(acceptUnit(made))));
      const pages = await Array.fromAsync(createAdoptionStore(opened.db).liveOrders(3));
      assert.deepEqual(
        pages.map(({ orders }) => orders.length),
        [500, 1],
      );
    });

    test('what is adopted is the adopter’s, and a second time changes nothing', async () => {
      const moved = await order(3);
      const kept = await order(4);
      const deadlineMs = startMs + 60_000;
      const batch = batchRow({ accountId, bootEpoch: 3, expiresAtMs: deadlineMs, deadlineMs });
      await opened.journal.write({ kind: 'batch-created', batch });
      const store = createAdoptionStore(opened.db);
      assert.deepEqual(
        (await store.activeBatches(3)).batches.map(({ id }) => id),
        [batch.id],
      );
      const unit = {
        kind: 'adopt',
        from: 3,
        to: 9,
        orders: [moved.id, kept.id],
        batches: [{ ...batch, outputFileId: 'file-new', errorFileId: 'file-newer' }],
      } as const;
      for (let times = 0; times < 2; times++) {
        await opened.journal.write(unit);
        assert.deepEqual(await liveOf(3), []);
        assert.deepEqual(await liveOf(9), [moved.id]);
        assert.deepEqual(await liveOf(4), [kept.id]);
        assert.deepEqual((await store.activeBatches(3)).batches, []);
        const [adopted] = (await store.activeBatches(9)).batches;
        assert.deepEqual([adopted?.bootEpoch, adopted?.deadlineMs], [9, deadlineMs]);
      }
    });

    test('a gateway serves while its lease is its own', async () => {
      const { knex } = opened.db;
      const store = createAdoptionStore(opened.db);
      assert.equal(await store.isServing(3), false);
      await knex('leases').insert({ name: 'gateway:3', epoch: 1, holder: '3' });
      assert.equal(await store.isServing(3), true);
      await knex('leases').update({ holder: '4' });
      assert.equal(await store.isServing(3), false);
      await knex('leases').update({ holder: null });
      assert.equal(await store.isServing(3), false);
    });
  });
}
