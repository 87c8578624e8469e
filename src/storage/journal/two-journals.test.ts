/** Two journals on one server, as of two gateways: they wait for each other, and neither is the victim of a deadlock. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { idSource } from '#base/id.ts';
import { fundedAccount } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { CHARGE, HOLD } from '#testing/order-units.ts';
import { audit } from '../audit/index.ts';
import { MysqlDriver } from './mysql-driver.ts';
import type { JournalUnit } from './units.ts';

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

  test('rely on accounts of their own and on one that both change, and never deadlock', async () => {
    const clock = new ManualClock(startMs);
    const opened = await openMariadb();
    const { db } = opened;
    const journals = [1, 2].map(() => new MysqlDriver(opened.url, { fence: null, clock }));
    const apply = async (units: readonly (readonly JournalUnit[])[]) => {
      const applied = await Promise.all(journals.map((journal, at) => journal.apply(units[at] ?? [], false)));
      assert.deepEqual(
        applied.map(({ failure }) => failure),
        [null, null],
      );
      for (const result of applied.flatMap(({ results }) => results)) assert.ok('outcome' in result);
    };
    try {
      for (const model of MODELS)
        await apply([[{ kind: 'level', model, levelSeq: 1, level: 500_000_000, atMs: startMs }]]);
      const accounts = [];
      for (let made = 0; made < 3; made++) accounts.push(await fundedAccount(db, clock, 10n ** 15n));
      const [ofOne = '', ofOther = '', shared = ''] = accounts;
      for (let round = 0; round < 40; round++) {
        const both = round % 10 === 0 ? [shared] : [];
        const place = (accountId: string, models: readonly string[]) =>
          models.map((model) => orderRow({ accountId, model, createdAtMs: startMs - round * 1_800_000 }));
        const orders = [
          [ofOne, ...both].flatMap((accountId) => place(accountId, MODELS)),
          [...both, ofOther].flatMap((accountId) => place(accountId, MODELS.toReversed())),
        ];
        await apply(orders.map((own) => own.map((order) => acceptUnit(order, { admission: admissionOf(HOLD) }))));
        await apply(orders.map((own) => own.map((order) => settleUnit(order, CHARGE))));
      }
      const held = await db.knex('accounts').whereIn('id', accounts).sum({ held: 'held' }).first();
      assert.equal(Number(held?.held), 0);
      assert.deepEqual((await audit(db, null, { nowMs: startMs })).findings, []);
    } finally {
      for (const journal of journals) await journal.close();
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
      const made = [1, 2].map(() => keys.create(accountId, { budget: 7n * HOLD, reset: 'month' }, COMMAND_LINE));
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
