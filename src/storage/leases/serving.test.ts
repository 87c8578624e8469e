/** Which of two gateways serves a database on a server, and how the other one learns it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock } from '#base/clock.ts';
import { type Log, silentLog } from '#base/log.ts';
import { CLUSTER_BEAT_MS } from '#cluster/membership/membership.ts';
import { DEAD_MS } from '#cluster/ports.ts';
import { nextBootEpoch, type OpenedDatabase } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { isMariadb, openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { until } from '#testing/until.ts';
import { DatabaseInUse } from '../database/refusal.ts';
import { writing } from '../database/transaction.ts';
import { recover } from '../orders/recovery.ts';
import { checkFence, LeaseLost } from './fence.ts';
import { lockOfEarlierVersion } from './living-gateways.ts';
import { type ServingRight, takeServing } from './serving.ts';

/** A process that serves, says so, and stays. */
const HOLDER = `
const { openDatabase } = await import(${JSON.stringify(import.meta.resolve('../database/database.ts'))});
const { takeServing } = await import(${JSON.stringify(import.meta.resolve('./serving.ts'))});
const { systemClock } = await import(${JSON.stringify(import.meta.resolve('#base/clock.ts'))});
const { silentLog } = await import(${JSON.stringify(import.meta.resolve('#base/log.ts'))});
const right = await takeServing(openDatabase(process.env.HELD_DATABASE), { clock: systemClock, log: silentLog, peer: null });
await right.started();
console.log('held');
`;

describe('the right to serve a database on MariaDB', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let clock: ManualClock;
  let rights: ServingRight[];
  let child: ChildProcess | null = null;
  let lines: string[];
  const note = (_fields: object, sentence: string) => void lines.push(sentence);
  /** But for the clock, which is the test's. */
  const said = () => lines.filter((line) => !line.startsWith('The clock'));
  const log: Log = { debug: note, info: note, warn: note, error: note };

  beforeEach(async () => {
    opened = await openMariadb();
    clock = new ManualClock(systemClock.nowMs());
    rights = [];
    lines = [];
  });
  afterEach(async () => {
    for (const right of rights) await right.release();
    child?.kill('SIGKILL');
    child = null;
    await opened.drop();
  });

  async function serve(parts: { clock?: ManualClock | typeof systemClock } = {}): Promise<ServingRight> {
    const right = await takeServing(opened.db, { clock: parts.clock ?? clock, log, peer: null });
    rights.push(right);
    await right.started();
    return right;
  }

  /** Leaves a lease behind as a gateway on another machine would that ended long ago, or just now. */
  async function abandon(ageMs: number): Promise<void> {
    await opened.db.knex('leases').where('name', 'like', 'gateway:%').delete();
    await opened.db.knex('beats').delete();
    const elsewhere = { holder: '0', state: 'serving', process: 'web-9 4711 1 another-boot pid:[1]', epoch: 5 };
    await opened.db.knex('leases').insert({ name: 'gateway:0', ...elsewhere });
    await opened.db.knex.raw(
      "INSERT INTO beats (gateway, beat_at) VALUES ('0', UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND)",
      [ageMs * 1000],
    );
  }

  const holds = async () => {
    const gateways = opened.db.knex('leases').where('name', 'like', 'gateway:%');
    return (await gateways.whereNotNull('holder').first('holder'))?.holder ?? null;
  };

  /** Lets the gateway beat until it learns that it has lost. */
  async function untilLost(right: ServingRight): Promise<void> {
    let lost = false;
    void right.lost.then(() => {
      lost = true;
    });
    while (!lost) await clock.advance(CLUSTER_BEAT_MS);
  }

  test('a second gateway does not start while the first one beats, and learns which one that is', async () => {
    const first = await serve({ clock: systemClock });
    await assert.rejects(serve(), (error: unknown) => {
      assert.ok(error instanceof DatabaseInUse);
      assert.match(
        error.reason,
        new RegExp(`^another gateway serves it \\(process ${process.pid} on .+\\); stop that`),
      );
      return true;
    });
    await first.release();
    await serve();
    assert.deepEqual(said(), ['The database has a gateway; watching whether it still beats.']);
  });

  test('a gateway that was killed is followed at once', async () => {
    child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER], {
      env: { ...process.env, HELD_DATABASE: opened.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.ok(child.stdout);
    await once(child.stdout, 'data');
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    await serve();
    assert.deepEqual(said(), ['Took the database over from a gateway that ended without leaving it.']);
  });

  test('a gateway elsewhere that ended is followed when its beat is old', async () => {
    await abandon(DEAD_MS - 100);
    await serve();
    assert.deepEqual(said(), [
      'The database has a gateway; watching whether it still beats.',
      'Took the database over from a gateway that ended without leaving it.',
    ]);
  });

  test('an old beat does not count when the gateway lives after all, as after an outage of the server', async () => {
    const first = await serve();
    await opened.db.knex.raw('UPDATE beats SET beat_at = beat_at - INTERVAL 60 SECOND');
    const second = assert.rejects(takeServing(opened.db, { clock, log, peer: null }), DatabaseInUse);
    await until(async () => lines.some((line) => line.includes('watching')));
    await clock.advance(CLUSTER_BEAT_MS);
    await second;
    await first.release();
  });

  test('a gateway that leaves while the next one watches it is followed at once', async () => {
    const first = await serve();
    const second = serve();
    await until(async () => lines.some((line) => line.includes('watching')));
    await first.release();
    await second;
  });

  test('a beat of the future counts as old: the clock of the server was set back', async () => {
    await abandon(-3_600_000);
    await serve();
  });

  test('a holder without a beat does not count', async () => {
    await abandon(0);
    await opened.db.knex('beats').delete();
    await serve();
  });

  test('of several that start at once one serves', async () => {
    await abandon(DEAD_MS + 1000);
    const starts = await Promise.allSettled(Array.from({ length: 3 }, () => serve({ clock: systemClock })));
    assert.equal(starts.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('a gateway that was declared dead learns it from its next beat', async () => {
    const first = await serve();
    await abandon(DEAD_MS + 1000);
    const second = await takeServing(opened.db, { clock: new ManualClock(), log, peer: null });
    await untilLost(first);
    await first.release();
    assert.notEqual(await holds(), null, 'what it does at its end does not touch the lease of another');
    await second.release();
    assert.equal(await holds(), null);
  });

  test('a start that was declared dead halfway recovers nothing', async () => {
    const first = await serve();
    await abandon(DEAD_MS + 1000);
    await serve({ clock: new ManualClock() });
    const bootEpoch = await nextBootEpoch(opened.db);
    await assert.rejects(recover(opened.db, { bootEpoch, clock, fence: first.fence }), LeaseLost);
    await first.lost;
  });

  test('the server ends a transaction of a start that is paused in it', async (t) => {
    if (!(await isMariadb(opened.db))) return t.skip('MySQL has no such setting');
    const { fence } = await serve();
    await writing(opened.db, async (trx) => {
      await checkFence(trx, fence);
      const [[row]] = await trx.raw('SELECT @@idle_write_transaction_timeout AS idle_s');
      assert.equal(Number(row.idle_s), 10);
    });
  });

  test('a beat whose connection broke is sent on another one', async () => {
    const right = await serve();
    await breakSessions();
    await opened.db.knex.raw('UPDATE beats SET beat_at = beat_at - INTERVAL 60 SECOND');
    const isOld = async () => {
      const [[row]] = await opened.db.knex.raw(
        'SELECT COUNT(*) AS n FROM beats WHERE beat_at < NOW() - INTERVAL 30 SECOND',
      );
      return Number(row.n) > 0;
    };
    while (await isOld()) await clock.advance(CLUSTER_BEAT_MS);
    await right.release();
    assert.equal(await holds(), null);
  });

  test('a gateway whose connection broke leaves the database all the same', async () => {
    const right = await serve();
    await breakSessions();
    await clock.advance(CLUSTER_BEAT_MS);
    await right.release();
    await until(async () => (await holds()) === null);
  });

  test('a clock that differs from the database is reported once, and once it agrees again', async () => {
    const far = new ManualClock(systemClock.nowMs() - 60_000);
    const about = () => lines.filter((line) => line.startsWith('The clock'));
    rights.push(await takeServing(opened.db, { clock: far, log, peer: null }));
    await far.advance(CLUSTER_BEAT_MS);
    await until(async () => about().length > 0);
    assert.ok(Math.abs((rights.at(-1)?.clockAheadMs ?? 0) + 60_000) < 30_000, 'it is behind by about a minute');
    assert.deepEqual(about(), ["The clock of this machine differs from the database's: set both right (NTP)."]);
    await far.advance(systemClock.nowMs() - far.nowMs() - CLUSTER_BEAT_MS);
    while (about().length === 1) await far.advance(systemClock.nowMs() - far.nowMs());
    assert.deepEqual(about().slice(1), ["The clock of this machine agrees with the database's again."]);
  });

  test('a gateway of version 0.1.0 has a named lock, and is not disturbed', async () => {
    await opened.db.knex.transaction(async (trx) => {
      const lock = lockOfEarlierVersion(new URL(opened.url).pathname.slice(1));
      await trx.raw('SELECT GET_LOCK(?, 0)', [lock]);
      await assert.rejects(takeServing(opened.db, { clock, log: silentLog, peer: null }), DatabaseInUse);
      await trx.raw('SELECT RELEASE_LOCK(?)', [lock]);
    });
  });

  async function breakSessions(): Promise<void> {
    const others = 'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()';
    const [rows] = await opened.db.knex.raw(others);
    for (const { id } of rows) await opened.db.knex.raw(`KILL ${Number(id)}`).catch(() => {});
  }
});
