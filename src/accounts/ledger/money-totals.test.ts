import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, startMs } from '#testing/order-fixtures.ts';
import { Accounts } from '../account/account-store.ts';
import { moneyTotals } from './money-totals.ts';

const clock = new ManualClock(startMs);

for (const tested of testedDatabases) {
  describe(`the money of all accounts on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    before(async () => {
      opened = await openJournaled(tested, clock);
    });
    after(() => opened?.drop());

    test('is added up over all pages, without the house', async () => {
      const { db, journal } = opened;
      assert.deepEqual(await moneyTotals(db), { balances: 0n, holds: 0n });
      const accountIds: string[] = [];
      for (const balance of [5n, 7n, 2n ** 61n, 11n]) accountIds.push(await fundedAccount(db, clock, balance));
      const house = await new Accounts({ db, clock, ids: idSource(clock) }).house();
      await db.knex('accounts').where({ id: house.id }).update({ balance: 1000 });
      await journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs });
      const order = orderRow({ accountId: accountIds[2] ?? '' });
      await journal.write(acceptUnit(order, { admission: admissionOf(3n) }));
      for (const page of [1, 2, 5, 100])
        assert.deepEqual(await moneyTotals(db, page), { balances: 2n ** 61n + 23n, holds: 3n });
    });
  });
}
