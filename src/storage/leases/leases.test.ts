/** Who holds a lease, and what commits around a change of hands: fixed interleavings on a real server. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { OpenedDatabase } from '#testing/databases.ts';
import { openMariadb, skipMariadb, untilBlocked } from '#testing/mariadb.ts';
import { openConnection } from '../database/mysql-connection.ts';
import { fenceOf, LeaseLost } from './fence.ts';
import { freeLeases, type HeldLease, killConnection, takeShared } from './leases.ts';

const NAME = 'market:tide';

describe('leases on MariaDB', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let connections: Connection[];
  /** The sessions of the holder before, and of the one that takes over. */
  let old: Connection;
  let next: Connection;
  let held: HeldLease;

  beforeEach(async () => {
    opened = await openMariadb();
    connections = [];
    old = await connect();
    next = await connect();
    held = await take(old, 'old');
  });
  afterEach(async () => {
    for (const connection of connections) connection.destroy();
    await opened.drop();
  });

  async function connect(): Promise<Connection> {
    const connection = await openConnection(opened.url);
    connections.push(connection);
    return connection;
  }

  async function tryToTake(by: Connection, holder: string, seenEpoch: number): Promise<HeldLease | null> {
    const [epoch = null] = await takeShared(by, [{ name: NAME, epoch: seenEpoch }], holder);
    return epoch === null ? null : { name: NAME, epoch };
  }

  async function readLease(by: Connection) {
    const [[row]] = await by.query<RowDataPacket[]>('SELECT epoch, holder FROM leases WHERE name = ?', [NAME]);
    return { epoch: Number(row?.epoch ?? 0), holder: row?.holder ?? null };
  }

  async function take(by: Connection, holder: string): Promise<HeldLease> {
    const lease = await tryToTake(by, holder, (await readLease(by)).epoch);
    assert.ok(lease);
    return lease;
  }

  /** Begins a transaction that has passed the fence of the old holder. */
  async function beginFenced(): Promise<void> {
    const { read, check } = fenceOf(held, () => {});
    await old.query('START TRANSACTION');
    const [rows] = await old.query<RowDataPacket[]>(read.sql, [...read.params]);
    check(rows);
  }

  /** A row that only a holder may write, such as an order that executes. */
  const commitRow = async () => {
    await old.query("INSERT INTO counters (name, value) VALUES ('executing', 1)");
    await old.query('COMMIT');
  };

  async function countRows(by: Connection): Promise<number> {
    const [[row]] = await by.query<RowDataPacket[]>("SELECT COUNT(*) AS n FROM counters WHERE name = 'executing'");
    return Number(row?.n);
  }

  /** Resolves when the gateway that takes over waits for a row that another session has locked. */
  const whenBlocked = () => untilBlocked(opened.db, 'UPDATE leases%');

  test('with a plain read, the new holder sees nothing and the old one then commits', async () => {
    await old.query('START TRANSACTION');
    const [[row]] = await old.query<RowDataPacket[]>('SELECT epoch FROM leases WHERE name = ?', [NAME]);
    assert.equal(Number(row?.epoch), held.epoch);
    await take(next, 'next');
    assert.equal(await countRows(next), 0);
    await commitRow();
    assert.equal(await countRows(next), 1);
  });

  test('with the fence, the gateway that takes over waits for the transaction and sees what it committed', async () => {
    await beginFenced();
    const taken = take(next, 'next');
    await whenBlocked();
    await commitRow();
    await taken;
    assert.equal(await countRows(next), 1);
  });

  test('the fence refuses a transaction that begins after the change of hands', async () => {
    let lost = false;
    await take(next, 'next');
    const { read, check } = fenceOf(held, () => {
      lost = true;
    });
    await old.query('START TRANSACTION');
    const [rows] = await old.query<RowDataPacket[]>(read.sql, [...read.params]);
    assert.throws(() => check(rows), LeaseLost);
    assert.equal(lost, true);
  });

  test('the fence refuses when the lease is gone altogether', () => {
    assert.throws(() => fenceOf(held, () => {}).check([]), LeaseLost);
  });

  test('fences of one holder do not wait for each other', async () => {
    await beginFenced();
    const { read, check } = fenceOf(held, () => {});
    await next.query('START TRANSACTION');
    const [rows] = await next.query<RowDataPacket[]>(read.sql, [...read.params]);
    check(rows);
  });

  test('a transaction that is paused with the lease locked is ended by the gateway that takes over', async () => {
    await beginFenced();
    await old.query("INSERT INTO counters (name, value) VALUES ('executing', 1)");
    await killConnection(next, old.threadId);
    await take(next, 'next');
    assert.equal(await countRows(next), 0);
    await assert.rejects(old.query('COMMIT'));
    assert.equal(await countRows(next), 0);
  });

  test('of two that take over at once one succeeds', async () => {
    const rivals = [next, await connect(), await connect(), await connect()];
    const leases = await Promise.all(rivals.map((rival, at) => tryToTake(rival, `rival ${at}`, held.epoch)));
    const winners = leases.filter((lease) => lease !== null);
    assert.equal(winners.length, 1);
    const now = await readLease(next);
    assert.equal(now.epoch, winners[0]?.epoch);
    assert.equal(now.holder, `rival ${leases.findIndex((lease) => lease !== null)}`);
  });

  test('an epoch always grows, and is a time of the server', async () => {
    const [[row]] = await next.query<RowDataPacket[]>('SELECT UNIX_TIMESTAMP(NOW(3)) * 1000 AS now_ms');
    assert.ok(Math.abs(held.epoch - Number(row?.now_ms)) < 60_000);
    await next.query('UPDATE leases SET epoch = epoch + 1000000000000');
    const ahead = await readLease(next);
    assert.equal((await take(next, 'next')).epoch, ahead.epoch + 1);
  });

  test('a beat waits neither for a fence nor for who waits to take over', async () => {
    await opened.db.knex.raw("INSERT INTO beats (gateway, beat_at) VALUES ('old', NOW(3))");
    await beginFenced();
    const taken = take(next, 'next');
    await whenBlocked();
    const beating = await connect();
    await beating.query('SET SESSION innodb_lock_wait_timeout = 1');
    await beating.query("UPDATE beats SET beat_at = NOW(3) WHERE gateway = 'old'");
    assert.equal((await readLease(beating)).holder, 'old');
    await old.query('ROLLBACK');
    await taken;
  });

  test('a lease that was freed has no holder, and one that was taken over is not freed', async () => {
    await freeLeases(old, [held]);
    assert.deepEqual(await readLease(next), { holder: null, epoch: held.epoch });
    await take(next, 'next');
    await freeLeases(old, [held]);
    assert.equal((await readLease(next)).holder, 'next');
  });

  test('a connection to another database is not killed, nor is one that has ended', async () => {
    const elsewhere = await connect();
    await elsewhere.query('USE information_schema');
    await killConnection(next, elsewhere.threadId);
    await elsewhere.query('DO 0');
    await killConnection(next, 2_000_000_000);
    await killConnection(next, next.threadId);
    await next.query('DO 0');
  });
});
