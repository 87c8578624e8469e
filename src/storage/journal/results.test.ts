/** Units of stored results and downloads, on every database. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { createDownloadStore } from '#accounts/account/download-store.ts';
import { AccessStore } from '#accounts/keys/key-lookup.ts';
import { idSource } from '#base/id.ts';
import { wholeAccount } from '#base/reach.ts';
import type { OrderRow } from '#orders/order.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { sweepRequestLogs } from '../cleanup/sweep-expired.ts';
import { int } from '../database/values.ts';
import { createOrderStore, findRequestLog } from '../orders/store.ts';
import { createResultIndex, overfullIn } from '../results/store.ts';
import type { Journal } from './journal.ts';
import type { JournalOutcome, JournalUnit } from './units.ts';

const clock = new ManualClock(startMs);
const ids = idSource(clock);

for (const tested of testedDatabases) {
  describe(`results on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;

    beforeEach(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
    });
    afterEach(() => opened.drop());

    const index = () => createResultIndex(opened.db);
    const account = () => fundedAccount(opened.db, clock, 100n);
    async function stored(order: OrderRow): Promise<OrderRow> {
      const row = await createOrderStore(opened.db).find(wholeAccount(order.accountId), order.id);
      assert.ok(row);
      return row;
    }
    async function keptBy(id: string): Promise<number> {
      return int((await opened.db.knex('accounts').where({ id }).first('stored_bytes')).stored_bytes);
    }
    /** Writes a unit twice, as after a commit whose reply was lost: both outcomes must be equal. */
    async function twice<Unit extends JournalUnit>(unit: Unit): Promise<JournalOutcome<Unit>> {
      const outcome = await journal.write(unit);
      assert.deepEqual(await journal.write(unit), outcome);
      return outcome;
    }

    test('a result stored after the settlement is recorded and counted once', async () => {
      const accountId = await account();
      const order = orderRow({ accountId, resultState: 'promised' });
      const note = { kind: 'result-stored', orderId: order.id, accountId, bytes: 9 } as const;
      await journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
      assert.equal((await journal.write(note)).result, 'stale');
      await journal.write(settleUnit(order, 42n, { resultExpiresAtMs: startMs + 1000 }));
      assert.equal((await twice(note)).result, 'changed');
      assert.equal((await stored(order)).resultState, 'stored');
      assert.deepEqual(await index().oldest(accountId, 10), [
        { id: order.id, accountId, keyId: order.keyId, bytes: 9, sinceMs: startMs + 2 },
      ]);
      assert.deepEqual(await keptBy(accountId), 9);
    });

    test('a result is removed once, whether or not it was ever stored, and does not come back', async () => {
      const accountId = await account();
      const [kept, lost] = [0, 1].map(() => orderRow({ accountId, resultState: 'promised' })) as [OrderRow, OrderRow];
      const remove = (order: OrderRow) => twice({ kind: 'result-removed', orderId: order.id, accountId });
      const note = (order: OrderRow) =>
        journal.write({ kind: 'result-stored', orderId: order.id, accountId, bytes: 9 });
      for (const order of [kept, lost]) {
        await journal.write(acceptUnit(order, { admission: admissionOf(10n) }));
        assert.equal((await remove(order)).result, 'stale');
        await journal.write(settleUnit(order, 1n, { resultExpiresAtMs: startMs + 1000 }));
      }
      await note(kept);
      for (const order of [kept, lost]) {
        assert.equal((await remove(order)).result, 'changed');
        assert.equal((await stored(order)).resultState, 'deleted');
        assert.equal((await note(order)).result, 'stale');
      }
      assert.deepEqual([await index().oldest(accountId, 10), await keptBy(accountId)], [[], 0]);
    });

    test('the cleanup finds expired results, accounts above their cap, and their oldest results', async () => {
      const accountId = await account();
      const kept = [3, 1, 2].map((day) => ({
        day,
        order: orderRow({ accountId, outlives: true, resultState: 'promised' }),
      }));
      for (const { day, order } of kept) {
        await journal.write(acceptUnit(order, { admission: admissionOf(10n) }));
        const body = { resultBytes: 10 * day, resultExpiresAtMs: startMs + day, finishedAtMs: startMs - day };
        await journal.write(settleUnit(order, 1n, body));
      }
      const [third, first, second] = kept.map(({ order }) => order.id);
      const idsOf = (found: { id: string }[]) => found.map(({ id }) => id);
      assert.deepEqual(idsOf(await index().expired(startMs + 2, 10)), [first, second]);
      assert.deepEqual(idsOf(await index().expired(startMs + 3, 1)), [first]);
      assert.deepEqual(idsOf(await index().oldest(accountId, 2)), [third, second]);
      const newest = await index().newest(accountId, { limit: 2, after: null });
      assert.deepEqual(idsOf(newest), [first, second]);
      assert.deepEqual(idsOf(await index().newest(accountId, { limit: 2, after: newest[1] ?? null })), [third]);
      assert.deepEqual(await overfullIn(opened.db)(59, 10), [{ accountId, bytes: 60 }]);
      assert.deepEqual(await overfullIn(opened.db)(60, 10), []);
      const larger = await account();
      await opened.db.knex('accounts').where({ id: larger }).update({ stored_bytes: 61 });
      assert.deepEqual(await overfullIn(opened.db)(59, 1), [{ accountId: larger, bytes: 61 }]);
      await opened.db.knex('accounts').where({ id: larger }).update({ stored_bytes: 0 });
    });

    test('a request logged for the operator is readable until its expiry, and swept after it', async () => {
      const accountId = await account();
      const order = orderRow({ accountId });
      const body = { messages: [{ role: 'user', content: "O'Grady \u0000 é" }] };
      await twice(acceptUnit(order, { requestLog: { body: JSON.stringify(body), expiresAtMs: startMs + 5 } }));
      const found = await findRequestLog(opened.db, order.id, startMs + 4);
      assert.deepEqual(found, { orderId: order.id, accountId, body, expiresAtMs: startMs + 5 });
      assert.equal(await findRequestLog(opened.db, order.id, startMs + 5), null);
      assert.equal(await sweepRequestLogs(opened.db, startMs + 4), 0);
      assert.equal(await sweepRequestLogs(opened.db, startMs + 5), 1);
    });

    test('suspended and unknown accounts are distinguished from active ones', async () => {
      const [active, suspended] = [await account(), await account()];
      await new Accounts({ db: opened.db, clock, ids }).suspend(suspended, COMMAND_LINE);
      const access = new AccessStore(opened.db);
      assert.deepEqual(await access.inactiveAmong([active, suspended, 'nobody']), [suspended, 'nobody']);
      assert.deepEqual(await access.inactiveAmong([]), []);
    });

    test('downloads are stored with their time, beyond four billion bytes', async () => {
      const accountId = await account();
      const downloads = createDownloadStore(opened.db, journal);
      assert.equal(await downloads.load(accountId), null);
      for (const used of [
        { usedBytes: 5, atMs: startMs },
        { usedBytes: 2 ** 40, atMs: startMs + 1 },
      ]) {
        await downloads.save(accountId, used);
        assert.deepEqual(await downloads.load(accountId), used);
      }
    });
  });
}
