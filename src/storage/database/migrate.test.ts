/** Opening and migrating a database. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Accounts } from '#accounts/account/account-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { ManualClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { createJournal } from '../journal/journal.ts';
import { createOrderStore } from '../orders/store.ts';
import { type Database, databaseAddress, type OperatorOptions, openDatabase } from './database.ts';
import { sqlite } from './dialects/sqlite.ts';
import { durabilityWarnings } from './durability.ts';
import { migrate, migrations } from './migrate.ts';
import { endedIndexAnew } from './migrations/0014_ended_index_anew.ts';
import { keyBudgets } from './migrations/0022_key_budgets.ts';

const run = promisify(execFile);

const ids = migrations.map(({ id }) => id);

for (const tested of testedDatabases) {
  describe(`migration on ${tested.name}`, { skip: tested.skip }, () => {
    test('the tables are created once', async () => {
      const { url, drop } = await tested.make();
      const db = openDatabase(url);
      try {
        assert.deepEqual(await migrate(db), ids);
        assert.deepEqual(await migrate(db), []);
      } finally {
        await db.close();
        await drop();
      }
    });

    test('tables that are up to date need no lock, so that commands that read run while another process writes', async () => {
      const { db, url, drop } = await openTested(tested);
      const other = openDatabase(url);
      const trx = await other.knex.transaction();
      try {
        await (db.dialect.name === 'sqlite'
          ? trx('migrations').where({ id: '' }).delete()
          : trx.raw("SELECT GET_LOCK(CONCAT(DATABASE(), '.migrate'), 0)"));
        await db.knex.raw(db.dialect.name === 'sqlite' ? 'PRAGMA busy_timeout = 1' : 'SELECT 1');
        assert.deepEqual(await migrate(db), []);
      } finally {
        await trx.rollback();
        await other.close();
        await drop();
      }
    });

    test('of processes that start at the same moment only one creates them', async () => {
      const { url, drop } = await tested.make();
      try {
        const script = `
          const { openDatabase } = await import('#storage/database/database.ts');
          const { migrate } = await import('#storage/database/migrate.ts');
          const db = openDatabase(process.argv[1]);
          console.log(JSON.stringify(await migrate(db)));
          await db.close();`;
        const starts = await Promise.all(
          [1, 2, 3].map(() => run(process.execPath, ['--input-type=module', '-e', script, url])),
        );
        const lines = starts.map(({ stdout }) => stdout.trim()).sort();
        assert.deepEqual(lines, [JSON.stringify(ids), '[]', '[]']);
      } finally {
        await drop();
      }
    });

    test('a migration that was cut off is finished by the next start', {
      skip: tested.name === 'SQLite' && 'one transaction there',
    }, async () => {
      const { db, drop } = await openTested(tested);
      try {
        await db.knex('migrations').delete();
        await db.knex.raw('DROP TABLE counters');
        const indexes = await indexesOf(db);
        await db.knex.raw('DROP INDEX orders_by_account ON orders');
        assert.deepEqual(await migrate(db), ids);
        assert.deepEqual(await db.knex('counters'), []);
        assert.deepEqual(await indexesOf(db), indexes);
      } finally {
        await drop();
      }
    });

    test('the indexes of existing orders are replaced, also when that runs twice', async () => {
      const { db, drop } = await openTested(tested);
      const journal = createJournal(db, { clock: new ManualClock(startMs), log: silentLog });
      try {
        const { id: accountId } = await new Accounts(options(db)).create({ name: 'lister' });
        const [line, other] = [{ batchId: 'batch_1', outlives: true }, {}].map((of) => orderRow({ accountId, ...of }));
        for (const order of [line, other]) if (order) await journal.write(acceptUnit(order));
        const indexes = await indexesOf(db);
        for (const earlier of [firstIndexes[db.dialect.name], []]) {
          for (const statement of earlier) await db.knex.raw(statement);
          await db.knex('migrations').where({ id: '0016_batch_indexes' }).delete();
          assert.deepEqual(await migrate(db), ['0016_batch_indexes']);
          assert.deepEqual(await indexesOf(db), indexes);
          assert.deepEqual(await listed(db, accountId, 'batch_1'), [line?.id]);
          assert.deepEqual(await listed(db, accountId, 'none'), [other?.id]);
        }
      } finally {
        await journal.close();
        await drop();
      }
    });

    test('the daily sums of before are filled by key', async () => {
      const { db, drop } = await openTested(tested);
      const journal = createJournal(db, { clock: new ManualClock(startMs), log: silentLog });
      try {
        const parts = options(db);
        const { id: accountId } = await new Accounts(parts).create({ name: 'spender' });
        await new Transfers(parts).credit(accountId, 100n, { force: true });
        for (const [keyId, charge] of [
          ['k1', 3n],
          ['k2', 4n],
          ['k1', 5n],
          [null, 6n],
        ] as const) {
          const order = orderRow({ accountId, keyId });
          await journal.write(acceptUnit(order, { admission: admissionOf(10n) }));
          await journal.write(settleUnit(order, charge));
        }
        const days = () =>
          db.knex('usage_days').orderBy('key_id').select('day', 'model', 'key_id', 'requests', 'charged');
        const written = (await days()).map(plain);
        const statements = keyBudgets.statements(db.dialect);
        // From where the table is made anew.
        const from = statements.findIndex((statement) => statement.startsWith('DROP TABLE'));
        for (const statement of statements.slice(from)) await db.knex.raw(statement);
        assert.deepEqual((await days()).map(plain), written);
        assert.deepEqual(
          written.map(({ key_id, charged }) => [key_id, charged]),
          [
            ['', '6'],
            ['k1', '8'],
            ['k2', '4'],
          ],
        );
      } finally {
        await journal.close();
        await drop();
      }
    });

    test('the settings of the tests do not lose commits', async () => {
      const { db, drop } = await openTested(tested);
      try {
        assert.deepEqual(await durabilityWarnings(db), []);
      } finally {
        await drop();
      }
    });

    test('settings that lose commits are reported', async () => {
      const { db, drop } = await openTested(tested);
      try {
        if (db.dialect.name === 'sqlite') {
          await db.knex.raw('PRAGMA synchronous = NORMAL');
          await db.knex.raw('PRAGMA journal_mode = DELETE');
          const [first = '', second = ''] = await durabilityWarnings(db);
          assert.match(first, /journal_mode delete/);
          assert.match(second, /synchronous below FULL/);
          return;
        }
        await db.knex.raw('SET GLOBAL innodb_flush_log_at_trx_commit = 2');
        try {
          const [warning = ''] = await durabilityWarnings(db);
          assert.match(warning, /innodb_flush_log_at_trx_commit is 2/);
        } finally {
          await db.knex.raw('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
        }
      } finally {
        await drop();
      }
    });
  });
}

/** The indexes of orders before the last migration that changes them. */
const firstIndexes = {
  sqlite: [
    'DROP INDEX orders_by_account',
    'CREATE INDEX orders_by_account ON orders (account_id, created_at_ms, id)',
    'DROP INDEX orders_ended',
    ...endedIndexAnew.statements(sqlite).slice(-1),
  ],
  mysql: [
    'DROP INDEX orders_by_batch ON orders',
    'CREATE INDEX orders_by_batch ON orders (batch_id, created_at_ms)',
    'DROP INDEX orders_ended ON orders',
    'CREATE INDEX orders_ended ON orders (account_id, model, kind, status, created_at_ms, id)',
    'DROP INDEX orders_by_status ON orders',
    'CREATE INDEX orders_by_status ON orders (status, account_id, created_at_ms)',
  ],
};

async function indexesOf({ dialect, knex }: Database): Promise<string[]> {
  const rows: { sql: string }[] =
    dialect.name === 'sqlite'
      ? await knex('sqlite_master').where({ type: 'index', tbl_name: 'orders' }).select('sql')
      : await knex('information_schema.statistics')
          .whereRaw("table_schema = DATABASE() AND table_name = 'orders'")
          .select(knex.raw("CONCAT_WS(' ', index_name, seq_in_index, column_name) AS `sql`"));
  return rows.map(({ sql }) => sql).sort();
}

async function listed(db: Database, accountId: string, batchId: string): Promise<string[]> {
  const every = { statuses: null, model: null, kind: null, idPrefix: null, fromMs: null, toMs: null };
  const page = await createOrderStore(db).list({ accountId, batchId, ...every }, { after: null, limit: 10 });
  return page.map(({ id }) => id);
}

function options(db: Database): OperatorOptions {
  const clock = new ManualClock(startMs);
  return { db, clock, ids: idSource(clock) };
}

describe('DATABASE_URL', () => {
  test('names a file or a server', () => {
    assert.deepEqual(databaseAddress('sqlite:data/sluice.sqlite'), { type: 'sqlite', filename: 'data/sluice.sqlite' });
    assert.deepEqual(databaseAddress('sqlite:///var/a b.sqlite'), { type: 'sqlite', filename: '/var/a b.sqlite' });
    assert.deepEqual(databaseAddress('mariadb://u:p@h/db'), { type: 'mysql', url: 'mysql://u:p@h/db' });
  });

  test('is refused when it names neither', () => {
    for (const url of ['', 'sqlite:', 'sqlite::memory:', 'postgres://h/db', 'data.sqlite']) {
      assert.throws(() => databaseAddress(url), /DATABASE_URL is sqlite:path/);
    }
  });
});

/** Figures as text, whatever the driver makes of them. */
function plain(row: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
}
