/** What connections to a server have in common, whatever the defaults of the server are. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RowDataPacket } from 'mysql2/promise';
import { silentLog } from '#base/log.ts';
import { fundedAccount, type OpenedDatabase } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { isMariadb, openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, startMs } from '#testing/order-fixtures.ts';
import { createJournal } from '../journal/journal.ts';
import { type Database, openDatabase, withDeadline } from './database.ts';
import { openConnection } from './mysql-connection.ts';
import { literal } from './mysql-literal.ts';

/** Where a backslash escapes nothing, a text that is escaped with backslashes ends at its second character. */
const ATTACK = String.raw`\' AS name UNION SELECT 42 -- `;

describe('connections to MariaDB', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let former: string;

  before(async () => {
    opened = await openMariadb();
    const [[{ mode }]] = await opened.db.knex.raw('SELECT @@GLOBAL.sql_mode AS mode');
    former = mode;
    await opened.db.knex.raw("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT'");
  });

  after(async () => {
    await opened.db.knex.raw('SET GLOBAL sql_mode = ?', [former]);
    await opened.drop();
  });

  const pools: Record<string, () => Database> = {
    'the pool': () => openDatabase(opened.url),
    'the pool with a deadline': () => withDeadline(opened.db, 5_000),
  };
  for (const [name, open] of Object.entries(pools)) {
    test(`${name} executes no part of a value where the server has NO_BACKSLASH_ESCAPES`, async () => {
      const db = open();
      try {
        const [rows] = await db.knex.raw('SELECT ? AS name', [ATTACK]);
        assert.deepEqual(rows, [{ name: ATTACK }]);
      } finally {
        await db.close();
      }
    });
  }

  test('a connection of the leases executes no part of a value there', async () => {
    const connection = await openConnection(opened.url);
    try {
      const [rows] = await connection.query('SELECT ? AS name', [ATTACK]);
      assert.deepEqual(rows, [{ name: ATTACK }]);
      // A proxy may give back a connection with another mode.
      await connection.query("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'");
      const [again] = await connection.query('SELECT ? AS name', [ATTACK]);
      assert.deepEqual(again, [{ name: ATTACK }]);
    } finally {
      await connection.end();
    }
  });

  test('a journal executes no part of a value there', async () => {
    const clock = new ManualClock(startMs);
    const accountId = await fundedAccount(opened.db, clock, 1_000n);
    const journal = createJournal(opened.db, { clock, log: silentLog });
    const body = JSON.stringify({ attack: ATTACK });
    const order = orderRow({ accountId });
    try {
      await journal.write(
        acceptUnit(order, { admission: admissionOf(1n), requestLog: { body, expiresAtMs: startMs + 1 } }),
      );
      const row = await opened.db.knex('request_logs').where({ order_id: order.id }).first('body');
      assert.equal(row?.body, body);
    } finally {
      await journal.close();
    }
  });

  test('every text comes back as it was sent', async () => {
    const texts = [ATTACK, '', "''", '\\', '\0\n\r\u001a"`?%_', 'ü漢😀\\', 'x'.repeat(300_000), "'".repeat(300_000)];
    const [[row]] = await opened.db.knex.raw(`SELECT ${texts.map((_, at) => `? AS t${at}`).join(', ')}`, texts);
    assert.deepEqual(Object.values(row), texts);
    assert.ok(texts.every((text) => !literal(text).includes('\\')));
  });

  test('all of them have one profile', async () => {
    // MySQL has the isolation by its newer name, and no limit for a transaction that writes.
    const hasLimit = await isMariadb(opened.db);
    const profile = hasLimit
      ? 'SELECT @@sql_mode, @@time_zone, @@tx_isolation, CAST(@@idle_write_transaction_timeout AS CHAR)'
      : 'SELECT @@sql_mode, @@time_zone, @@transaction_isolation';
    const common = ['STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', '+00:00', 'READ-COMMITTED'];
    const expected = hasLimit ? [...common, '10'] : common;
    const answering = withDeadline(opened.db, 5_000);
    const connection = await openConnection(opened.url);
    try {
      const [[pooled], [limited], [leases]] = [
        (await opened.db.knex.raw(profile))[0],
        (await answering.knex.raw(profile))[0],
        (await connection.query<RowDataPacket[]>(profile))[0],
      ];
      for (const found of [pooled, limited, leases].map((row) => Object.values(row ?? {})))
        assert.deepEqual(found, expected);
    } finally {
      await connection.end();
      await answering.close();
    }
  });
});
