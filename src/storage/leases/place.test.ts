/** How gateways start beside each other, on one database: which may, what they find, and what they leave. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Clock, systemClock } from '#base/clock.ts';
import { type Log, silentLog } from '#base/log.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { fundedAccount, nextBootEpoch, type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit } from '#testing/order-fixtures.ts';
import { until } from '#testing/until.ts';
import { thisProcess } from '../database/process.ts';
import { DatabaseInOtherUse, DatabaseInUse, DatabaseRefused } from '../database/refusal.ts';
import { createJournal } from '../journal/journal.ts';
import { lockOfEarlierVersion } from './living-gateways.ts';
import { GatewayPlace } from './place.ts';
import { type ServingRight, takeServing } from './serving.ts';

/** A process of this machine that has ended, and one of another machine. */
const ENDED = thisProcess().replace(/ \d+ /, ' 99999999 ');
const ELSEWHERE = 'web-9 4711 1 another-boot pid:[1]';

describe('gateways that join a cluster on MariaDB', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let rights: ServingRight[];
  let lines: string[];
  const note = (_fields: object, sentence: string) => void lines.push(sentence);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  /** The time of this machine, which is compared with the database's however long a start takes; timers are the test's. */
  const clock = () => {
    const timers = new ManualClock();
    return {
      nowMs: () => systemClock.nowMs(),
      monotonicMs: () => timers.monotonicMs(),
      after: (delayMs: number, run: () => void) => timers.after(delayMs, run),
      advance: (ms: number) => timers.advance(ms),
    };
  };

  beforeEach(async () => {
    opened = await openMariadb();
    rights = [];
    lines = [];
  });
  afterEach(async () => {
    for (const right of rights) await right.release();
    await opened.drop();
  });

  const terms = { address: 'host:1', protocol: 1, listingHash: 'hash' };
  async function join(by: Clock = clock()): Promise<GatewayPlace> {
    const right = await takeServing(opened.db, { clock: by, log, peer: terms });
    rights.push(right);
    assert.ok(right instanceof GatewayPlace);
    return right;
  }

  async function joinAndStart(): Promise<GatewayPlace> {
    const joined = await join();
    await joined.started();
    return joined;
  }

  async function serveAlone(by: Clock = systemClock): Promise<ServingRight> {
    const right = await takeServing(opened.db, { clock: by, log, peer: null });
    rights.push(right);
    await right.started();
    return right;
  }

  /** The gateways as one of them sees them at its next beat, each with its adopter. */
  const adopters = async ({ store }: GatewayPlace) =>
    (await store.beat())?.gateways.map(({ id, adopter }) => [id, adopter]);

  /** Makes a gateway look as if it had run in this process, and been silent for so long. */
  async function abandon({ gateway }: GatewayPlace, process: string, silentS: number): Promise<void> {
    await opened.db
      .knex('leases')
      .where({ name: `gateway:${gateway}` })
      .update({ process });
    await opened.db.knex.raw('UPDATE beats SET beat_at = beat_at - INTERVAL ? SECOND', [silentS]);
  }

  const leaseNames = async () => (await opened.db.knex('leases').orderBy('name')).map(({ name }) => name);

  test('each has a number of its own, and sees the others', async () => {
    const one = await joinAndStart();
    const two = await joinAndStart();
    assert.ok(two.gateway > one.gateway);
    const seen = await one.store.beat();
    assert.deepEqual(
      seen?.gateways.map(({ id, adopter, address, protocol }) => [...[id, adopter, address, protocol]]),
      [one, two].map(({ gateway }) => [gateway, null, 'host:1', 1]),
    );
    assert.deepEqual([one.alone, two.alone], [true, false]);
    assert.equal(await nextBootEpoch(opened.db), two.gateway + 1);
  });

  test('a start waits until another one has ended', async () => {
    const one = await join();
    const second = join();
    await until(async () => lines.length > 0);
    assert.deepEqual(lines, ['Another gateway is starting; waiting for it.']);
    await one.started();
    await (await second).started();
  });

  test('of several that start at once, one is alone, and each follows the one before', async () => {
    const joined = await Promise.all([1, 2, 3].map(joinAndStart));
    assert.deepEqual(joined.map(({ alone }) => alone).toSorted(), [false, false, true]);
    assert.equal(new Set(joined.map(({ gateway }) => gateway)).size, 3);
  });

  test('a start whose process ended does not hold up the next', async () => {
    await abandon(await join(), ENDED, 0);
    const next = await joinAndStart();
    assert.equal(next.alone, true);
    assert.deepEqual(lines, []);
  });

  test('a start that was cut off on another machine is waited for until that gateway counts as dead', async () => {
    const cutOff = await join();
    await abandon(cutOff, ELSEWHERE, 60);
    const next = await joinAndStart();
    assert.equal(next.alone, true);
    assert.deepEqual(lines, ['Another gateway is starting; waiting for it.']);
  });

  test('a gateway beats while its start takes long', async () => {
    const startClock = clock();
    await join(startClock);
    await opened.db.knex('beats').update({ beat_at: '2026-01-01 00:00:00' });
    await startClock.advance(500);
    await until(async () => {
      const [[row]] = await opened.db.knex.raw("SELECT COUNT(*) AS n FROM beats WHERE beat_at > '2026-01-02'");
      return Number(row.n) === 1;
    });
  });

  test('one that was killed on this machine is adopted at once, one elsewhere only when it is silent', async () => {
    const killed = await joinAndStart();
    const elsewhere = await joinAndStart();
    await abandon(killed, ENDED, 0);
    await abandon(elsewhere, ELSEWHERE, 2);
    const next = await joinAndStart();
    assert.deepEqual(await adopters(next), [
      [killed.gateway, next.gateway],
      [elsewhere.gateway, null],
      [next.gateway, null],
    ]);
    assert.equal(next.alone, false);
  });

  test('one that left is adopted at once', async () => {
    const one = await joinAndStart();
    await one.release();
    const two = await joinAndStart();
    assert.deepEqual(await adopters(two), [
      [one.gateway, two.gateway],
      [two.gateway, null],
    ]);
    assert.equal(two.alone, true);
  });

  test('its journal commits under its own lease, and nothing once it was declared dead', async () => {
    const accountId = await fundedAccount(opened.db, clock(), 10n ** 12n);
    const one = await joinAndStart();
    const journal = createJournal(opened.db, { clock: clock(), log, fence: one.fence });
    const order = orderRow({ accountId, bootEpoch: one.gateway });
    await journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
    await abandon(one, ENDED, 0);
    await joinAndStart();
    const rejected = assert.rejects(journal.write(settleUnit(order, 42n)));
    await one.lost;
    await journal.close();
    await rejected;
    assert.equal((await opened.db.knex('orders').first('status'))?.status, 'executing');
  });

  test('orders and batches of processes from before the cluster are there to be adopted', async () => {
    const accountId = await fundedAccount(opened.db, clock(), 10n ** 12n);
    for (let boots = 0; boots < 5; boots++) await nextBootEpoch(opened.db);
    const journal = createJournal(opened.db, { clock: clock(), log });
    await journal.write(acceptUnit(orderRow({ accountId, bootEpoch: 3 })));
    const done = orderRow({ accountId, bootEpoch: 4 });
    await journal.write(acceptUnit(done, { admission: admissionOf(60n) }));
    await journal.write(settleUnit(done, 42n));
    await journal.write({ kind: 'batch-created', batch: batchRow({ accountId, bootEpoch: 5 }) });
    await journal.close();
    const one = await joinAndStart();
    assert.deepEqual(await adopters(one), [
      [3, one.gateway],
      [5, one.gateway],
      [one.gateway, null],
    ]);
    assert.equal(one.alone, true);
    const two = await joinAndStart();
    assert.deepEqual(
      (await adopters(two))?.map(([, adopter]) => adopter),
      [one.gateway, one.gateway, null, null],
    );
  });

  test('a gateway does not join while another serves alone, and reads what to do', async () => {
    await serveAlone();
    await assert.rejects(join(), (error: unknown) => {
      assert.ok(error instanceof DatabaseInOtherUse);
      const sentence =
        /^another gateway serves it alone \(process \d+ on .+\); set SLUICE_PEER_ADDRESS for both, or stop that one$/;
      assert.match(error.reason, sentence);
      return true;
    });
    assert.deepEqual(await leaseNames(), ['gateway:1', 'job:start']);
  });

  test('a gateway does not serve alone beside a cluster', async () => {
    const one = await join(systemClock);
    const before = await leaseNames();
    await assert.rejects(serveAlone(), /another gateway serves it with others \(process \d+ on .+\); set SLUICE_PEER/);
    assert.deepEqual(await leaseNames(), before);
    assert.ok(await one.store.beat(), 'the other one goes on');
  });

  test('one that served alone and hung commits nothing beside a cluster', async () => {
    const alone = await serveAlone(new ManualClock());
    const accountId = await fundedAccount(opened.db, clock(), 10n ** 12n);
    const journal = createJournal(opened.db, { clock: clock(), log, fence: alone.fence });
    await opened.db.knex('leases').update({ process: ENDED });
    await joinAndStart();
    const rejected = assert.rejects(journal.write(acceptUnit(orderRow({ accountId }))));
    await alone.lost;
    await journal.close();
    await rejected;
  });

  test('a cluster that ended is followed by a gateway that serves alone, and none of it comes back', async () => {
    const one = await joinAndStart();
    const two = await joinAndStart();
    await opened.db.knex('leases').where('name', 'like', 'gateway:%').update({ process: ENDED });
    const alone = await serveAlone();
    assert.deepEqual(await leaseNames(), [`gateway:${alone.place?.gateway}`, 'job:start']);
    for (const { store } of [one, two]) assert.equal(await store.beat(), null);
  });

  test('while one of a cluster lives, no lease of the others is touched', async () => {
    const one = await joinAndStart();
    await join(systemClock);
    await opened.db
      .knex('leases')
      .where({ name: `gateway:${one.gateway}` })
      .update({ process: ENDED });
    await assert.rejects(serveAlone(), DatabaseInOtherUse);
    assert.ok((await leaseNames()).includes(`gateway:${one.gateway}`));
  });

  test('a gateway of version 0.1.0 has a named lock, and is not disturbed', async () => {
    await opened.db.knex.transaction(async (trx) => {
      const lock = lockOfEarlierVersion(new URL(opened.url).pathname.slice(1));
      await trx.raw('SELECT GET_LOCK(?, 0)', [lock]);
      await assert.rejects(join(), DatabaseInUse);
      await trx.raw('SELECT RELEASE_LOCK(?)', [lock]);
    });
  });

  test('a clock that is off is refused', async () => {
    const off = (ms: number) => join(new ManualClock(systemClock.nowMs() + ms));
    await assert.rejects(off(60_000), /the clock of this machine is \d+\.\d s ahead of the database's; set both right/);
    await assert.rejects(off(-60_000), /the clock of this machine is \d+\.\d s behind the database's; set both right/);
    assert.deepEqual(await leaseNames(), []);
  });
});

test('SQLite has no cluster', async () => {
  const sqlite = testedDatabases.find(({ name }) => name === 'SQLite');
  assert.ok(sqlite);
  const { db, drop } = await openTested(sqlite);
  const peer = { address: 'host:1', protocol: 1, listingHash: 'hash' };
  await assert.rejects(takeServing(db, { clock: systemClock, log: silentLog, peer }), DatabaseRefused);
  await drop();
});
