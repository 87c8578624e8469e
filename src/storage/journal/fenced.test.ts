/** A journal under a lease: what commits when the lease, the session or the gateway is gone. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Log } from '#base/log.ts';
import { fundedAccount, type OpenedDatabase } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openMariadb, skipMariadb, untilBlocked } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit } from '#testing/order-fixtures.ts';
import { until } from '#testing/until.ts';
import { type ServingRight, takeServing } from '../leases/serving.ts';
import { createJournal, type Journal } from './journal.ts';

describe('a journal under a lease, on MariaDB', { skip: skipMariadb }, () => {
  const clock = new ManualClock();
  let opened: OpenedDatabase;
  let accountId: string;
  let right: ServingRight;
  let journal: Journal;
  let lines: string[];
  /** What it says but for the clock, which is the test's. */
  const note = (_fields: object, sentence: string) => void (sentence.startsWith('The clock') || lines.push(sentence));
  const log: Log = { debug: note, info: note, warn: note, error: note };

  beforeEach(async () => {
    opened = await openMariadb();
    accountId = await fundedAccount(opened.db, clock, 10n ** 12n);
    lines = [];
    right = await takeServing(opened.db, { clock, log, peer: null });
    journal = createJournal(opened.db, { clock, log, fence: right.fence });
  });
  afterEach(async () => {
    await journal.close();
    await right.release();
    await opened.drop();
  });

  /** Writes an order that executes at once. */
  const accept = (order = orderRow({ accountId })) => journal.write(acceptUnit(order, { admission: admissionOf(60n) }));

  async function connectionId(): Promise<number | null> {
    const row = await opened.db.knex('leases').first('connection_id');
    return row?.connection_id === null ? null : Number(row?.connection_id);
  }

  async function isConnected(id: number | null): Promise<boolean> {
    const [rows] = await opened.db.knex.raw('SELECT id FROM information_schema.processlist WHERE id = ?', [id]);
    return rows.length > 0;
  }

  const declareDead = () => opened.db.knex('leases').update({ epoch: opened.db.knex.raw('epoch + 1') });

  test('a gateway that holds its lease commits, and its lease names the connection', async () => {
    assert.equal((await accept()).result, 'executing');
    assert.equal(await isConnected(await connectionId()), true);
  });

  test('a gateway that was declared dead commits nothing, and learns it', async () => {
    const order = orderRow({ accountId });
    await accept(order);
    await declareDead();
    const rejected = [assert.rejects(journal.write(settleUnit(order, 42n))), assert.rejects(accept())];
    await right.lost;
    await journal.close();
    await Promise.all(rejected);
    const rows = await opened.db.knex('orders').select('status');
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['executing'],
    );
  });

  test('a batch that was cut off in its middle by a takeover is not repeated', async () => {
    const order = orderRow({ accountId });
    await accept(order);
    const lock = await opened.db.knex.transaction();
    await lock('accounts').where({ id: accountId }).update({ name: 'locked' });
    const rejected = assert.rejects(journal.write(settleUnit(order, 42n)));
    await untilBlocked(opened.db, '%accounts%');
    await opened.db.knex.raw(`KILL ${await connectionId()}`);
    await declareDead();
    await lock.commit();
    while (lines.length === 0) await new Promise(setImmediate);
    await clock.advance(1000);
    await right.lost;
    await journal.close();
    await rejected;
    assert.equal((await opened.db.knex('orders').first('status'))?.status, 'executing');
  });

  test('the server closes the session of a gateway that falls silent; the next batch opens another one, unnoticed', async () => {
    await accept();
    const before = await connectionId();
    await until(async () => !(await isConnected(before)));
    assert.equal((await accept()).result, 'executing');
    assert.notEqual(await connectionId(), before);
    assert.deepEqual(lines, []);
  });

  test('a session that the server closes while this process stands still is replaced, unnoticed', async () => {
    await accept();
    // Before it closes a silent session MySQL says why, and that must not be taken for the answer to the next batch.
    standStillUntilClosed(opened.url, await connectionId());
    assert.equal((await accept()).result, 'executing');
    assert.deepEqual(lines, []);
  });

  test('a session that breaks while it is idle is replaced, unnoticed', async () => {
    await accept();
    for (let round = 0; round < 20; round++) {
      await opened.db.knex.raw(`KILL ${await connectionId()}`);
      assert.equal((await accept()).result, 'executing');
    }
    assert.deepEqual(lines, []);
  });

  test('an idle gateway that lives keeps its session', async () => {
    const nowS = async () => Number((await opened.db.knex.raw('SELECT UNIX_TIMESTAMP(NOW(3)) AS now'))[0][0].now);
    let before: number | null = null;
    let sinceS = 0;
    let lastS = 0;
    await until(async () => {
      await clock.advance(1000);
      const isKept = await isConnected(before);
      const atS = await nowS();
      if (before === null || atS - lastS > 1) {
        // It starts again where this process was kept from running: then the gateway was not alive.
        await accept();
        [before, sinceS] = [await connectionId(), await nowS()];
      } else assert.equal(isKept, true);
      lastS = await nowS();
      return lastS - sinceS > 3;
    });
  });
});

/** Keeps this thread, which reads nothing meanwhile, until the connection is gone. */
function standStillUntilClosed(url: string, connectionId: number | null): void {
  const waiting = `
    const connection = await (await import('mysql2/promise')).createConnection(process.argv[1]);
    const sql = 'SELECT id FROM information_schema.processlist WHERE id = ?';
    while ((await connection.query(sql, [process.argv[2]]))[0].length > 0);
    await connection.end();`;
  execFileSync(process.execPath, ['--input-type=module', '-e', waiting, url, String(connectionId)]);
}
