/** Opening and migrating a database. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { type Database, databaseAddress, openDatabase } from '../database.ts';
import { durabilityWarnings } from '../durability.ts';
import { DatabaseRefused } from '../refusal.ts';
import { migrate, migrations } from './migrate.ts';

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

    test('the longest name of a database has a lock', { skip: tested.name === 'SQLite' }, async () => {
      const { url, drop } = await tested.make();
      const near = openDatabase(url);
      const name = `sluice_${'x'.repeat(57)}`;
      await near.knex.raw(`CREATE DATABASE ${name}`);
      const db = openDatabase(Object.assign(new URL(url), { pathname: name }).href);
      try {
        assert.deepEqual(await migrate(db), ids);
      } finally {
        await db.close();
        await near.knex.raw(`DROP DATABASE ${name}`);
        await near.close();
        await drop();
      }
    });

    test('the table of migrations has the collation of the others', { skip: tested.name === 'SQLite' }, async () => {
      const { db, drop } = await openTested(tested);
      const [rows] = await db.knex.raw(
        'SELECT DISTINCT table_collation AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
      );
      assert.deepEqual(
        rows.map(({ name }: { name: string }) => name),
        ['utf8mb4_bin'],
      );
      await drop();
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
          const { migrate } = await import('#storage/database/migrations/migrate.ts');
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

    test('tables of a newer version are refused, whatever they lack of this one', async () => {
      const { db, drop } = await openTested(tested);
      try {
        await db
          .knex('migrations')
          .where({ id: ids.at(-1) })
          .delete();
        await db.knex('migrations').insert({ id: '9999_tomorrow' });
        await assert.rejects(migrate(db), DatabaseRefused);
        assert.deepEqual(await db.knex('migrations').whereIn('id', ids).pluck('id'), ids.slice(0, -1));
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

async function indexesOf({ dialect, knex }: Database): Promise<string[]> {
  const rows: { sql: string }[] =
    dialect.name === 'sqlite'
      ? await knex('sqlite_master').where({ type: 'index', tbl_name: 'orders' }).select('sql')
      : await knex('information_schema.statistics')
          .whereRaw("table_schema = DATABASE() AND table_name = 'orders'")
          .select(knex.raw("CONCAT_WS(' ', index_name, seq_in_index, column_name) AS `sql`"));
  return rows.map(({ sql }) => sql).sort();
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
