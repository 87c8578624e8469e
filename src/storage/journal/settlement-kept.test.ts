/** Failures of a database, known or not, that no settlement may be dropped for. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLog } from '#base/log.ts';
import { fundedAccount, type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { connectionsThatWait, isMariadb, openMariadb, skipMariadb, untilBlocked } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { CHARGE, HOLD } from '#testing/order-units.ts';
import { audit } from '../audit/index.ts';
import { mysql } from '../database/dialects/mysql.ts';
import { sqlite } from '../database/dialects/sqlite.ts';
import type { JournalDriver } from './apply-units.ts';
import { createJournal, type Journal } from './journal.ts';
import { MysqlDriver } from './mysql-driver.ts';
import { SqliteConnection } from './sqlite-connection.ts';

const FUNDS = 10n * HOLD;
const level = { kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs } as const;

for (const tested of testedDatabases) {
  describe(`a settlement on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    let journal: Journal;
    let clock: ManualClock;
    let lines: string[];

    beforeEach(async () => {
      opened = await openTested(tested);
      clock = new ManualClock(startMs);
      lines = [];
      journal = createJournal(opened.db, { clock, log: createLog('info', { write: (line) => lines.push(line) }) });
      await journal.write(level);
    });
    afterEach(async () => {
      await journal.close();
      await opened.drop();
    });

    /** Lets the journal try until the condition holds. */
    async function tryUntil(isReached: () => boolean): Promise<void> {
      while (!isReached()) {
        await turn();
        if (!journal.committing) await clock.advance(10);
      }
    }

    test('waits for a table that is missing, and is applied once it is back', async () => {
      const { knex } = opened.db;
      const accountId = await fundedAccount(opened.db, clock, FUNDS);
      const order = orderRow({ accountId });
      await journal.write(acceptUnit(order, { admission: admissionOf(HOLD) }));
      await knex.schema.renameTable('usage_records', 'usage_records_moved');
      let outcome: unknown = null;
      void journal.write(settleUnit(order, CHARGE, { hold: HOLD })).then(
        (settled) => {
          outcome = settled.result;
        },
        (error: unknown) => {
          outcome = error;
        },
      );
      await tryUntil(() => journal.stalled || outcome !== null);
      assert.equal(outcome, null);
      await assert.rejects(journal.write(acceptUnit(orderRow({ accountId }))), { code: 'unavailable' });
      await tryUntil(() => journal.lagMs > 5_000);
      assert.equal(lines.filter((line) => line.includes('did not commit')).length, 1);
      assert.match(lines.join(), /usage_records/);

      await knex.schema.renameTable('usage_records_moved', 'usage_records');
      await tryUntil(() => outcome !== null);
      assert.equal(outcome, 'settled');
      assert.equal(journal.stalled, false);
      assert.deepEqual((await audit(opened.db, null, { nowMs: startMs })).findings, []);
    });
  });
}

describe('a settlement on MariaDB alone', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let driver: JournalDriver;
  const clock = new ManualClock(startMs);

  beforeEach(async () => {
    opened = await openMariadb();
    driver = new MysqlDriver(opened.url);
  });
  afterEach(async () => {
    await driver.close();
    await opened.drop();
  });

  async function runningOrder() {
    const order = orderRow({ accountId: await fundedAccount(opened.db, clock, FUNDS) });
    await driver.apply([level, acceptUnit(order, { admission: admissionOf(HOLD) })], false);
    return order;
  }

  async function assertSettles(order: ReturnType<typeof orderRow>): Promise<void> {
    const { results, failure } = await driver.apply([settleUnit(order, CHARGE, { hold: HOLD })], true);
    assert.equal(failure, null);
    assert.deepEqual(
      results.map((result) => 'outcome' in result && result.outcome.result),
      ['settled'],
    );
    assert.deepEqual((await audit(opened.db, null, { nowMs: startMs })).findings, []);
  }

  for (const [name, code] of [
    ['the lock table is full', 1206],
    ['the engine fails', 1030],
    ['the error has a number that nobody has seen', 31_999],
  ] as const)
    test(`is tried again when ${name}`, async () => {
      const order = await runningOrder();
      await opened.db.knex.raw(
        `CREATE TRIGGER failing BEFORE INSERT ON usage_records FOR EACH ROW
         SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${code}`,
      );
      const { results, failure } = await driver.apply([settleUnit(order, CHARGE, { hold: HOLD })], false);
      assert.deepEqual([results, typeof failure], [[], 'string']);
      await opened.db.knex.raw('DROP TRIGGER failing');
      await assertSettles(order);
    });

  test('is tried again after it took longer than max_statement_time', async (t) => {
    if (!(await isMariadb(opened.db))) return t.skip('MySQL limits only statements that read');
    const order = await runningOrder();
    const user = `slow_${opened.db.knex.client.config.connection.database.slice(-12)}`;
    await opened.db.knex.raw(`CREATE USER ${user} WITH MAX_STATEMENT_TIME 0.2`);
    const lock = await opened.db.knex.transaction();
    try {
      await opened.db.knex.raw(`GRANT ALL ON *.* TO ${user}`);
      const limited = new MysqlDriver(Object.assign(new URL(opened.url), { username: user, password: '' }).href);
      await lock('accounts').where({ id: order.accountId }).update({ name: 'locked' });
      const { results, failure } = await limited.apply([settleUnit(order, CHARGE, { hold: HOLD })], false);
      await limited.close();
      assert.deepEqual(results, []);
      assert.match(failure ?? '', /max_statement_time/);
    } finally {
      await lock.rollback();
      await opened.db.knex.raw(`DROP USER ${user}`);
    }
    await assertSettles(order);
  });

  test('is applied on another connection when its own was killed', async () => {
    const order = await runningOrder();
    const lock = await opened.db.knex.transaction();
    await lock('accounts').where({ id: order.accountId }).update({ name: 'locked' });
    const applied = driver.apply([settleUnit(order, CHARGE, { hold: HOLD })], false);
    await untilBlocked(opened.db);
    for (const id of await connectionsThatWait(opened.db)) await opened.db.knex.raw('KILL ?', [id]);
    await lock.rollback();
    await applied;
    await assertSettles(order);
  });
});

describe('errors of a database', () => {
  const server = (sqlState: string, code?: string) => Object.assign(new Error('it failed'), { sqlState, code });
  const file = (code: string) => Object.assign(new Error('it failed'), { code });

  test('count against a unit only when they are about its values', () => {
    const values = [
      server('23000', 'ER_DUP_ENTRY'),
      server('23000', 'ER_CONSTRAINT_FAILED'),
      server('HY000', 'ER_CHECK_CONSTRAINT_VIOLATED'),
      server('22003', 'ER_DATA_OUT_OF_RANGE'),
      server('22001', 'ER_DATA_TOO_LONG'),
      server('23000', 'ER_BAD_NULL_ERROR'),
      server('08S01', 'ER_NET_PACKET_TOO_LARGE'),
    ];
    for (const error of values) assert.deepEqual([mysql.isDataError(error), mysql.isOutage(error)], [true, false]);
    for (const code of ['SQLITE_CONSTRAINT_CHECK', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_TOOBIG', 'SQLITE_MISMATCH'])
      assert.deepEqual([sqlite.isDataError(file(code)), sqlite.isOutage(file(code))], [true, false]);
    assert.ok(sqlite.isDataError(new RangeError('The bound string is too big.')));
  });

  test('are outages otherwise, but for a missing table or a wrong statement, which are reported as bugs', () => {
    for (const error of [server('HY000', 'ER_LOCK_TABLE_FULL'), server('HY000'), server('70100'), server('40001')])
      assert.deepEqual([mysql.isDataError(error), mysql.isOutage(error)], [false, true]);
    for (const error of [
      server('42S02', 'ER_NO_SUCH_TABLE'),
      server('42000', 'ER_PARSE_ERROR'),
      new Error('no database'),
    ])
      assert.deepEqual([mysql.isDataError(error), mysql.isOutage(error)], [false, false]);
    for (const code of ['SQLITE_BUSY', 'SQLITE_IOERR_WRITE', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_NEVER_SEEN'])
      assert.deepEqual([sqlite.isDataError(file(code)), sqlite.isOutage(file(code))], [false, true]);
    for (const error of [file('SQLITE_ERROR'), new Error('no database')]) assert.equal(sqlite.isOutage(error), false);
  });
});

test('a SQLite file whose folder is away is no fault of a unit', () => {
  const away = () => {
    throw new TypeError('Cannot open database because the directory does not exist');
  };
  const { results, failure } = new SqliteConnection(away).apply([level], false);
  assert.deepEqual(results, []);
  assert.match(failure ?? '', /directory does not exist/);
});
