/** Who owns what in a cluster, and what commits around a change of hands: fixed interleavings on a real server. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock } from '#base/clock.ts';
import { fundedAccount, type OpenedDatabase } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openMariadb, skipMariadb, untilBlocked } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { TcpProxy } from '#testing/tcp-proxy.ts';
import { openConnection } from '../database/mysql-connection.ts';
import { MysqlDriver } from '../journal/mysql-driver.ts';
import type { JournalUnit } from '../journal/units.ts';
import { MysqlClusterStore } from './cluster-store.ts';
import { type Fence, fenceOf } from './fence.ts';
import { registerGateway, stateFrom } from './gateway-rows.ts';

const MODEL = 'tide-70b';
const MARKET = `market:${MODEL}`;
const clock = new ManualClock(startMs);

/** A gateway on another machine, by its number. */
interface Gateway {
  readonly id: number;
  readonly epoch: number;
  readonly store: MysqlClusterStore;
  readonly driver: MysqlDriver;
  readonly fence: Fence;
  lost: boolean;
}

describe('the leases of a cluster on MariaDB', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let accountId: string;
  let gateways: Gateway[];
  let one: Gateway;
  let two: Gateway;

  beforeEach(async () => {
    opened = await openMariadb();
    accountId = await fundedAccount(opened.db, clock, 10n ** 12n);
    gateways = [];
    one = await join();
    two = await join();
  });
  afterEach(async () => {
    for (const { store, driver } of gateways) {
      await driver.close();
      await store.leave().catch(() => {});
    }
    await opened.drop();
  });

  async function join(starts = true): Promise<Gateway> {
    const connection = await openConnection(opened.url);
    const terms = { address: 'host:1', protocol: 1, listingHash: 'hash' };
    const { gateway: id, lease } = await registerGateway(connection, terms);
    connection.destroy();
    await opened.db.knex('leases').where({ name: lease.name }).update({ process: 'web-9 4711 1 another-boot pid:[1]' });
    const lose = () => {
      joined.lost = true;
    };
    const fence = fenceOf(lease, lose);
    const joined: Gateway = {
      id,
      epoch: lease.epoch,
      store: new MysqlClusterStore({ url: opened.url, lease, gateway: id }),
      driver: new MysqlDriver(opened.url, { fence, clock }),
      fence,
      lost: false,
    };
    gateways.push(joined);
    if (starts) await joined.store.serve();
    return joined;
  }

  /** Takes the market from its owner. */
  async function take({ store }: Gateway): Promise<number> {
    const seen = (await store.beat())?.leases.find(({ name }) => name === MARKET);
    const epoch = await store.take(MARKET, seen?.epoch ?? 0);
    assert.ok(epoch);
    return epoch;
  }

  /** Makes the last beat of a gateway as old as if it had been silent for so long. */
  const silence = ({ id }: Gateway, seconds = 11) =>
    opened.db.knex.raw('UPDATE beats SET beat_at = beat_at - INTERVAL ? SECOND WHERE gateway = ?', [
      seconds,
      String(id),
    ]);

  const running = (gateway: Gateway, epoch: number) =>
    acceptUnit(orderRow({ accountId, bootEpoch: gateway.id }), {
      admission: admissionOf(60n, { model: MODEL, epoch }),
    });

  async function apply({ driver }: Gateway, ...units: JournalUnit[]): Promise<string[]> {
    const { results, failure } = await driver.apply(units, false);
    assert.equal(failure, null);
    return results.map((result) => ('outcome' in result ? result.outcome.result : result.error));
  }

  const leaseOf = (name: string) => opened.db.knex('leases').where({ name }).first();
  const ordersOf = async (gateway: Gateway) =>
    (await two.store.slotsHeld(MODEL, [])).filter((held) => held.gateway === gateway.id).map(({ order }) => order);

  /** Resolves when a statement of this kind waits for a lock. */
  const whenBlocked = (like: string) => untilBlocked(opened.db, like);

  /** Stops the journal of a gateway in the middle of a transaction that admits an order; returns how it goes on. */
  async function pauseIn(gateway: Gateway, unit: JournalUnit) {
    const lock = await opened.db.knex.transaction();
    await lock('accounts').where({ id: accountId }).update({ name: 'locked' });
    const applied = gateway.driver.apply([unit], false);
    await whenBlocked('%FROM accounts%');
    return { goOn: () => lock.commit(), applied };
  }

  test('a beat returns which gateways live and what each holds', async () => {
    const epoch = await take(one);
    const state = await two.store.beat();
    assert.ok(state);
    assert.ok(Math.abs(state.nowMs - systemClock.nowMs()) < 60_000);
    const about = { address: 'host:1', process: 'web-9 4711 1 another-boot pid:[1]', protocol: 1 };
    assert.deepEqual(
      state.gateways.map(({ beatAgeMs, ...gateway }) => [gateway, beatAgeMs !== null]),
      [one, two].map((gateway) => [
        { id: gateway.id, epoch: gateway.epoch, state: 'serving', ...about, adopter: null },
        true,
      ]),
    );
    assert.deepEqual(state.leases, [{ name: MARKET, epoch, holder: one.id }]);
  });

  test('others see in which state a gateway is, however old its beat', async () => {
    const three = await join(false);
    const seen = async () => (await one.store.beat())?.gateways.find(({ id }) => id === three.id)?.state;
    assert.equal(await seen(), 'starting');
    await silence(three);
    assert.equal(await seen(), 'starting');
    await three.store.serve();
    assert.equal(await seen(), 'serving');
    assert.equal(await one.store.bury(three.id, three.epoch), true);
    assert.equal(await seen(), 'adopted');
    await two.store.leave();
    assert.equal((await one.store.beat())?.gateways.find(({ id }) => id === two.id)?.state, 'left');
  });

  test('hundreds of markets change hands in as many round trips as one', async () => {
    const { hostname: host, port } = new URL(opened.url);
    let trips = 0;
    const link = new TcpProxy(() => {
      let isAsking = false;
      return (direction, bytes) => {
        if (direction === 'toward' && !isAsking) trips++;
        isAsking = direction === 'toward';
        return bytes;
      };
    });
    const newTrips = () => {
      const counted = trips;
      trips = 0;
      return counted;
    };
    link.target = { host, port: Number(port) };
    const url = opened.url.replace(`:${port}/`, `:${await link.listen()}/`);
    const lease = { name: `gateway:${two.id}`, epoch: two.epoch };
    const far = new MysqlClusterStore({ url, lease, gateway: two.id });
    const names = Array.from({ length: 300 }, (_, at) => `market:${at}`);
    const exchanged = async (some: readonly string[]): Promise<number[]> => {
      const counts: number[] = [];
      const held = await Promise.all(some.map((name) => one.store.take(name, 0)));
      newTrips();
      const epochs = await Promise.all(some.map((name, at) => far.take(name, held[at] ?? 0)));
      assert.ok(epochs.every((epoch, at) => (epoch ?? 0) > (held[at] ?? 0)));
      counts.push(newTrips());
      await Promise.all(some.map((name) => far.slotsHeld(name, [])));
      counts.push(newTrips());
      await Promise.all(some.map((name, at) => far.free(name, epochs[at] ?? 0)));
      counts.push(newTrips());
      const left = await opened.db.knex('leases').whereIn('name', some).whereNull('holder').count({ free: '*' });
      assert.equal(Number(left[0]?.free), some.length);
      return counts;
    };
    await far.slotsHeld(MODEL, []);
    assert.deepEqual(await exchanged(['market:first']), [2, 1, 1]);
    assert.deepEqual(await exchanged(names), [2, 1, 1]);
    await far.leave();
    await link.close();
  });

  test('of markets that are taken together, those are left that somebody was faster with', async () => {
    const epoch = await one.store.take('market:b', 0);
    assert.deepEqual(
      (await Promise.all(['market:c', 'market:b', 'market:a'].map((name) => two.store.take(name, 0)))).map(Boolean),
      [true, false, true],
    );
    assert.deepEqual(
      (await opened.db.knex('leases').where('name', 'like', 'market:%').orderBy('name')).map(({ holder }) => holder),
      [two, one, two].map(({ id }) => String(id)),
    );
    assert.equal(Number((await leaseOf('market:b')).epoch), epoch);
  });

  test('of several that take a market at once, one gets it', async () => {
    const others = [one, two, await join(), await join()];
    const epochs = await Promise.all(others.map(({ store }) => store.take(MARKET, 0)));
    const winners = epochs.filter((epoch) => epoch !== null);
    assert.equal(winners.length, 1);
    const state = await one.store.beat();
    const holder = others[epochs.findIndex((epoch) => epoch !== null)]?.id;
    assert.deepEqual(state?.leases, [{ name: MARKET, epoch: winners[0], holder }]);
  });

  test('a lease that was freed is nobody’s, and one that has another epoch is not freed', async () => {
    const first = await take(one);
    const second = await take(two);
    assert.ok(second > first);
    await one.store.free(MARKET, first);
    assert.equal((await one.store.beat())?.leases[0]?.holder, two.id);
    await two.store.free(MARKET, second);
    assert.deepEqual((await one.store.beat())?.leases, [{ name: MARKET, epoch: second, holder: null }]);
    assert.equal(await one.store.take(MARKET, first), null);
  });

  test('the gateway that takes a market waits for the admissions of every gateway, and then counts them all', async () => {
    const epoch = await take(one);
    const third = await join();
    await apply(one, running(one, epoch));
    // The third is no owner, so its connection is left alone: its transaction commits first.
    const paused = await pauseIn(third, running(third, epoch));
    const taken = take(two);
    await whenBlocked('UPDATE leases%');
    assert.deepEqual(await opened.db.knex('orders').where({ boot_epoch: third.id }), [], 'not committed yet');
    await paused.goOn();
    assert.equal((await paused.applied).failure, null);
    await taken;
    const slots = await two.store.slotsHeld(MODEL, [one.id]);
    assert.deepEqual(
      slots.map(({ order: _, ...slot }) => slot),
      [
        {
          ...{ model: MODEL, account: accountId, attempt: 1, pod: 'sim-1', bid: 1_000_000_000 },
          ...{ restedSeq: 1, house: false, gateway: third.id },
        },
      ],
    );
    assert.equal((await two.store.slotsHeld(MODEL, [])).length, 2);
    assert.deepEqual(await two.store.slotsHeld('another', []), []);
    assert.deepEqual(await apply(third, running(third, epoch)), ['stale-epoch']);
  });

  test('an admission that locked no market is not waited for, and would be one more than there are slots', async () => {
    const third = await join();
    const order = orderRow({ accountId, bootEpoch: third.id });
    const paused = await pauseIn(third, acceptUnit(order, { admission: admissionOf(60n) }));
    await take(two);
    assert.deepEqual(await ordersOf(third), []);
    await paused.goOn();
    assert.equal((await paused.applied).failure, null);
    assert.deepEqual(await ordersOf(third), [order.id]);
  });

  test('a holder that is paused in a transaction is cut off, and its admission does not count', async () => {
    const epoch = await take(one);
    const paused = await pauseIn(one, running(one, epoch));
    await take(two);
    assert.deepEqual(await ordersOf(one), []);
    await paused.goOn();
    assert.notEqual((await paused.applied).failure, null);
    assert.deepEqual(await ordersOf(one), []);
    assert.equal(one.lost, false, 'it lives, and its journal tries again');
    assert.deepEqual(await apply(one, running(one, epoch)), ['stale-epoch']);
  });

  test('a gateway that beats is not declared dead, however often that is tried', async () => {
    assert.equal(await two.store.bury(one.id, one.epoch), false);
    // Not so long that a busy machine could make it the whole lease.
    await silence(one, 2);
    assert.equal(await two.store.bury(one.id, one.epoch), false);
    assert.ok(await one.store.beat());
    assert.deepEqual(await apply(one, acceptUnit(orderRow({ accountId }))), ['queued']);
  });

  test('a silent gateway is declared dead by one, whatever the epoch that others saw', async () => {
    const third = await join();
    await silence(one);
    assert.equal(await two.store.bury(one.id, one.epoch - 1), false);
    const buried = await Promise.all([two, third].map(({ store }) => store.bury(one.id, one.epoch)));
    assert.deepEqual(buried.toSorted(), [false, true]);
    const adopter = buried[0] ? two : third;
    const seen = (await adopter.store.beat())?.gateways.find(({ id }) => id === one.id);
    assert.ok(seen && seen.epoch > one.epoch);
    assert.deepEqual([seen.adopter, seen.beatAgeMs], [adopter.id, null]);
    assert.equal(await adopter.store.bury(one.id, one.epoch), true, 'said again, as after a lost answer');
    assert.equal((await adopter.store.beat())?.gateways.find(({ id }) => id === one.id)?.epoch, seen.epoch);
  });

  test('one that was declared dead learns it from its beat, and from its next commit', async () => {
    const order = orderRow({ accountId, bootEpoch: one.id });
    await apply(one, acceptUnit(order, { admission: admissionOf(60n) }));
    await silence(one);
    assert.equal(await two.store.bury(one.id, one.epoch), true);
    const { failure, results } = await one.driver.apply([settleUnit(order, 42n)], false);
    assert.deepEqual([results, failure !== null, one.lost], [[], true, true]);
    assert.equal((await opened.db.knex('orders').first('status'))?.status, 'executing');
    assert.equal(await one.store.beat(), null);
  });

  test('a gateway that beats while another waits to declare it dead stays', async () => {
    await silence(one);
    // Its transaction is on a connection that the lease does not know, so it is not ended.
    const open = await opened.db.knex.transaction();
    await open.raw(one.fence.read.sql, [...one.fence.read.params]);
    const buried = two.store.bury(one.id, one.epoch);
    await whenBlocked('SELECT epoch, holder%FOR UPDATE');
    assert.ok(await one.store.beat(), 'a beat waits for nobody');
    await open.commit();
    assert.equal(await buried, false);
    assert.ok(await one.store.beat());
  });

  test('what commits before a gateway is declared dead is seen by its adopter', async () => {
    await silence(one);
    const open = await opened.db.knex.transaction();
    await open.raw(one.fence.read.sql, [...one.fence.read.params]);
    const buried = two.store.bury(one.id, one.epoch);
    await whenBlocked('SELECT epoch, holder%FOR UPDATE');
    await open('counters').insert({ name: 'executing', value: 1 });
    await open.commit();
    assert.equal(await buried, true);
    assert.equal((await opened.db.knex('counters').where({ name: 'executing' })).length, 1);
  });

  test('where the fence writes, each commit counts itself, and who takes a market counts every gateway', async () => {
    const commits = async () =>
      (await opened.db.knex('leases').where('name', 'like', 'gateway:%').orderBy('name').pluck('commits')).map(Number);
    const writing = (gateway: Gateway) => ({
      url: opened.url,
      lease: { name: `gateway:${gateway.id}`, epoch: gateway.epoch },
      gateway: gateway.id,
      fence: 'writes' as const,
    });
    const fence = fenceOf(writing(one).lease, () => {}, { kind: 'writes' });
    const driver = new MysqlDriver(opened.url, { fence, clock });
    for (let times = 0; times < 3; times++)
      assert.equal(
        (await driver.apply([acceptUnit(orderRow({ accountId, bootEpoch: one.id }), { admission: null })], false))
          .failure,
        null,
      );
    assert.deepEqual(await commits(), [3, 0]);
    const store = new MysqlClusterStore(writing(two));
    assert.ok(await store.take(MARKET, 0));
    assert.deepEqual(await commits(), [4, 1]);
    await driver.close();
    await store.leave();
  });

  test('an adopter leaves the rest to another gateway, which then is the adopter', async () => {
    await silence(one);
    assert.equal(await two.store.bury(one.id, one.epoch), true);
    const third = await join();
    await third.store.passOn(one.id, third.id);
    assert.equal((await leaseOf(`gateway:${one.id}`)).holder, String(two.id), 'only its adopter passes it on');
    await two.store.passOn(one.id, third.id);
    await two.store.forget(one.id);
    assert.equal(await third.store.bury(one.id, one.epoch), true);
    await third.store.forget(one.id);
    assert.equal(await leaseOf(`gateway:${one.id}`), undefined);
  });

  test('when the adopter dies too, another adopts both; until then nobody takes its place', async () => {
    const third = await join();
    await silence(one);
    await two.store.bury(one.id, one.epoch);
    const epochOf = async ({ id }: Gateway) =>
      (await third.store.beat())?.gateways.find((gateway) => gateway.id === id)?.epoch ?? 0;
    assert.equal(await third.store.bury(one.id, await epochOf(one)), false);
    await silence(two);
    assert.equal(await third.store.bury(one.id, await epochOf(one)), false, 'its adopter may live');
    assert.equal(await third.store.bury(two.id, two.epoch), true);
    assert.equal(await third.store.bury(one.id, await epochOf(one)), true);
    await two.store.forget(one.id);
    assert.ok(await leaseOf(`gateway:${one.id}`), 'only its adopter forgets it');
    await third.store.forget(one.id);
    assert.equal(await leaseOf(`gateway:${one.id}`), undefined);
    const moved = { kind: 'adopt', from: one.id, to: two.id, orders: [], batches: [] } as const;
    assert.notEqual((await two.driver.apply([moved], false)).failure, null, 'a dead adopter adopts nothing more');
  });

  test('a gateway that left is declared dead at once, and nothing that it held is its own', async () => {
    await take(one);
    await one.store.leave();
    const seen = await two.store.beat();
    assert.equal(seen?.leases[0]?.holder, null);
    assert.partialDeepStrictEqual(seen?.gateways[0], { id: one.id, beatAgeMs: null, adopter: null });
    assert.equal(await two.store.bury(one.id, one.epoch), true);
    await assert.rejects(one.store.beat(), /has left/);
  });

  test('a connection that broke is opened again', async () => {
    await one.store.beat();
    const [others] = await opened.db.knex.raw(
      'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
    );
    for (const { id } of others) await opened.db.knex.raw(`KILL ${Number(id)}`).catch(() => {});
    await one.store.beat().catch(() => {});
    assert.ok(await one.store.beat());
    await one.store.take(MARKET, 0).catch(() => {});
    assert.ok(await take(one));
  });
});

test('after an outage nobody counts as silent for longer than the others could have heard it', () => {
  const row = {
    name: 'gateway:3',
    epoch: 1,
    holder: '3',
    state: 'serving',
    process: null,
    address: null,
    age_ms: 60_000,
  };
  const ageOf = (age_ms: number | null, watchingSinceMs: number) =>
    stateFrom([{ ...row, age_ms }], { nowMs: 100_000, watchingSinceMs }).gateways[0]?.beatAgeMs;
  assert.equal(ageOf(60_000, 0), 60_000);
  assert.equal(ageOf(60_000, 98_000), 2_000);
  assert.equal(ageOf(400, 98_000), 400);
  assert.equal(ageOf(-3_600_000, 0), 100_000, 'the clock of the server was set back');
  assert.equal(ageOf(null, 98_000), null);
});
