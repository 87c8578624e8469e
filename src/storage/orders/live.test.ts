/** The orders that a start finds: all of them, and without going through those that have ended. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { fundedAccount, liveOrdersOf, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, orderRow, startMs } from '#testing/order-fixtures.ts';
import { close } from '#testing/order-units.ts';
import { liveIds } from './live.ts';
import { recover } from './recovery.ts';

/** More than a page of either reader. */
const ORDERS = 1100;

for (const tested of testedDatabases) {
  describe(`live orders on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let accountId: string;
    const clock = new ManualClock(startMs);

    beforeEach(async () => {
      opened = await openJournaled(tested, clock);
      accountId = await fundedAccount(opened.db, clock, 10n ** 15n);
    });
    afterEach(() => opened.drop());

    test('more than a page of them are found among ended ones, oldest first, and recovered', async () => {
      const orders = Array.from({ length: ORDERS }, () => orderRow({ accountId, outlives: true }));
      const gone = orders.filter((_, at) => at % 11 === 0).map(({ id }) => id);
      const left = orders.filter(({ id }) => !gone.includes(id)).map(({ id }) => id);
      await Promise.all(orders.map((order) => opened.journal.write(acceptUnit(order))));
      await Promise.all(gone.map((id) => opened.journal.write(close({ id, accountId }))));
      const found = await liveOrdersOf(opened.db, 1);
      assert.deepEqual(
        found.map(({ id }) => id),
        left,
      );
      assert.deepEqual(await liveIds(opened.db, 1), []);
      const recovered = await recover(opened.db, { bootEpoch: 2, clock });
      assert.deepEqual(
        [recovered, (await liveOrdersOf(opened.db, 2)).map(({ id }) => id)],
        [{ ended: 0, returned: left.length }, left],
      );
      assert.deepEqual(await liveIds(opened.db, 2), []);
    });

    test('their ids are read from an index that does not grow with those that have ended', async () => {
      const { knex, dialect } = opened.db;
      const asked: string[] = [];
      knex.on('query', ({ sql }: { sql: string }) => asked.push(sql));
      await liveIds(opened.db);
      const [sql] = asked;
      const plan = inspect(
        await knex.raw(`${dialect.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN FORMAT=TRADITIONAL'} ${sql}`),
        {
          depth: 4,
          breakLength: Number.POSITIVE_INFINITY,
        },
      );
      assert.match(
        plan,
        tested.name === 'SQLite' ? /USING (COVERING )?INDEX orders_live/ : /orders_by_status.*Using index/,
      );
    });
  });
}
