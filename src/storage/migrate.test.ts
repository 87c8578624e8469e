/** Opening and preparing a database. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { databaseAddress, openDatabase } from './database.ts';
import { durabilityWarnings } from './durability.ts';
import { migrate, migrations } from './migrate.ts';

const run = promisify(execFile);

const ids = migrations.map(({ id }) => id);

for (const tested of testedDatabases) {
  describe(`migration on ${tested.name}`, { skip: tested.skip }, () => {
    test('the tables are made once', async () => {
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

    test('processes that start at the same moment make them once between them', async () => {
      const { url, drop } = await tested.make();
      try {
        const script = `
          const { openDatabase } = await import('#storage/database.ts');
          const { migrate } = await import('#storage/migrate.ts');
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
        await db.knex.raw('DROP INDEX orders_by_status ON orders');
        assert.deepEqual(await migrate(db), ids);
        assert.deepEqual(await db.knex('counters'), []);
      } finally {
        await drop();
      }
    });

    test('the settings of the tests lose no commits', async () => {
      const { db, drop } = await openTested(tested);
      try {
        assert.deepEqual(await durabilityWarnings(db), []);
      } finally {
        await drop();
      }
    });

    test('settings that lose commits are named', async () => {
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
