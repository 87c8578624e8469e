/** When a gateway that joins is ready: once the others know of it. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { LeaseTable } from '#simulations/cluster/lease-table.ts';
import { SimulatedNetwork } from '#simulations/cluster/simulated-network.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { ClusterExchange } from '../markets/cluster-exchange.ts';
import type { GatewayId } from '../messages.ts';
import { Calls } from '../peers/calls.ts';
import { ClusterMember } from './member.ts';
import { CLUSTER_BEAT_MS, Membership } from './membership.ts';

/** Of clusters that sell nothing. */
const exchange = {
  models: [],
  gatewaysAlive() {},
  opened() {},
  closed() {},
  message: () => false,
  buried() {},
} as unknown as ClusterExchange;

describe('a gateway that joins', () => {
  let clock: ManualClock;
  let table: LeaseTable;
  let network: SimulatedNetwork;

  beforeEach(() => {
    clock = new ManualClock();
    table = new LeaseTable(clock);
    network = new SimulatedNetwork({ clock, random: seededRandom(3), delayMs: { min: 1, max: 5 } });
  });

  function join(self: GatewayId): ClusterMember {
    const name = { id: self, address: `10.0.0.${self}:1` };
    const terms = { process: `gateway-${self}`, protocol: 1, state: 'starting' } as const;
    const store = table.join({ ...name, ...terms });
    const host = network.clockOf(self);
    const lose = () => assert.fail('it was declared dead');
    const membership = new Membership({ self, store, clock: host, log: silentLog, isGone: () => false, lose });
    void membership.start();
    return new ClusterMember({
      ...{ self, store, membership, exchange, clock: host, log: silentLog, jobs: [] },
      calls: new Calls({ clock: host, log: silentLog, isOutage: () => false }),
      announceMs: 5_000,
      connect: (listener) => network.join(name, listener),
      started: async () => table.serves(self),
      takeOver: async () => true,
    });
  }

  /** Joins, and says when it has met all. */
  async function joined(
    self: GatewayId,
    member = join(self),
  ): Promise<{ readonly member: ClusterMember; met: boolean }> {
    await member.start();
    const state = { member, met: false };
    void member.metAll().then(() => {
      state.met = true;
    });
    await clock.advance(0);
    return state;
  }

  test('a gateway that leaves takes requests for as long as it is set to', async () => {
    const { member } = await joined(1);
    let left = false;
    void member.leave().then(() => {
      left = true;
    });
    await clock.advance(4_999);
    assert.equal(left, false);
    await clock.advance(1);
    assert.equal(left, true);
  });

  test('waits for nobody when it is alone', async () => {
    assert.equal((await joined(1)).met, true);
  });

  test('waits until every other has seen it in the table and has called', async () => {
    const others = [await joined(1), await joined(2)];
    await clock.advance(2 * CLUSTER_BEAT_MS);
    const third = await joined(3);
    assert.equal(third.met, false);
    await clock.advance(CLUSTER_BEAT_MS + 100);
    assert.equal(third.met, true);
    for (const { member } of others) assert.deepEqual(member.living, [1, 2, 3]);
  });

  test('is met like any other when its start stalled for twelve seconds', async () => {
    const { member } = await joined(1);
    const starting = join(2);
    network.pause(2);
    await clock.advance(12_000);
    assert.deepEqual([member.living, table.adopter(2)], [[1], null]);
    network.resume(2);
    const second = await joined(2, starting);
    await clock.advance(CLUSTER_BEAT_MS + 100);
    assert.deepEqual([second.met, member.living], [true, [1, 2]]);
  });

  test('waits two seconds for one that does not move', async () => {
    await joined(1);
    network.pause(1);
    const second = await joined(2);
    await clock.advance(1_999);
    assert.equal(second.met, false);
    await clock.advance(1);
    assert.equal(second.met, true);
  });
});
