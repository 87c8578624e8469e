/** Two journals on one server, as of two gateways: they wait for each other, and neither is the victim of a deadlock. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { fundedAccount } from '#testing/databases.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { CHARGE, HOLD } from '#testing/order-units.ts';
import { Keys } from '../accounts/keys.ts';
import { audit } from '../audit/index.ts';
import { MysqlDriver } from './mysql-driver.ts';

const ROUNDS = 60;
const MODELS = ['atoll-1b', 'reef-7b', 'shoal-3b', 'tide-70b'];

describe('two journals on MariaDB', { skip: skipMariadb }, () => {
  test('settle orders of the same models in opposite orders, and never deadlock', async () => {
    const clock = new ManualClock(startMs);
    const opened = await openMariadb();
    const { db } = opened;
    const [one, other] = [new MysqlDriver(opened.url), new MysqlDriver(opened.url)];
    try {
      for (const model of MODELS)
        await one.apply([{ kind: 'level', model, levelSeq: 1, level: 500_000_000, atMs: startMs }], false);
      const ofOne = await fundedAccount(db, clock, 10n ** 15n);
      const ofOther = await fundedAccount(db, clock, 10n ** 15n);
      const shared = await fundedAccount(db, clock, 10n ** 15n);
      for (let round = 0; round < ROUNDS; round++) {
        // In every other round the sums have no row yet.
        const createdAtMs = startMs - round * 3_600_000;
        const settlements = (accountId: string, models: readonly string[]) => {
          const orders = models.map((model) => orderRow({ accountId, model, createdAtMs }));
          const at = { finishedAtMs: startMs + 2 + Math.floor(round / 2) * 900_000 };
          return orders.flatMap((order) => [
            acceptUnit(order, { admission: admissionOf(HOLD) }),
            settleUnit(order, CHARGE, at),
          ]);
        };
        const applied = await Promise.all([
          one.apply([...settlements(ofOne, MODELS), ...settlements(round % 3 === 0 ? shared : ofOne, MODELS)], false),
          other.apply(
            [...(round % 3 === 0 ? settlements(shared, MODELS) : []), ...settlements(ofOther, MODELS.toReversed())],
            false,
          ),
        ]);
        assert.deepEqual(
          applied.map(({ failure }) => failure),
          [null, null],
        );
      }
      assert.deepEqual((await audit(db, null, { nowMs: startMs })).findings, []);
    } finally {
      await one.close();
      await other.close();
      await opened.drop();
    }
  });

  test('admit orders of two keys of one account at once, and never pass a budget, deadlock or lose a hold', async () => {
    const clock = new ManualClock(startMs);
    const opened = await openMariadb();
    const { db } = opened;
    const journals = [new MysqlDriver(opened.url), new MysqlDriver(opened.url)];
    const [one, other] = journals;
    try {
      const accountId = await fundedAccount(db, clock, 10n ** 15n);
      const keys = new Keys({ db, clock, ids: idSource(clock) });
      const made = [1, 2].map(() => keys.create(accountId, { budget: 7n * HOLD, reset: 'month' }));
      const ids = (await Promise.all(made)).map(({ key }) => key.id);
      const admissions = (from: readonly string[]) =>
        Array.from({ length: 10 }, () => from.map((keyId) => orderRow({ accountId, keyId, budgetFromMs: 0 })))
          .flat()
          .map((order) => acceptUnit(order, { admission: admissionOf(HOLD, { budgetKey: order.keyId ?? '' }) }));
      for (let round = 0; round < 5; round++) {
        const applied = await Promise.all([
          one?.apply(admissions(ids), false),
          other?.apply(admissions(ids.toReversed()), false),
        ]);
        assert.ok(applied.every((done) => done?.failure === null));
      }
      for (const { budget } of await keys.list(accountId)) assert.equal(budget?.held, 7n * HOLD);
      assert.equal((await db.knex('orders').where({ status: 'executing' })).length, 14);
    } finally {
      for (const journal of journals) await journal.close();
      await opened.drop();
    }
  });
});
