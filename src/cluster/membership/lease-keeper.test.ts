/** Who takes the leases that nobody living holds, and that of several gateways one has each. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { LeaseTable, type LeaseTableStore } from '#simulations/cluster/lease-table.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { GatewayId } from '../messages.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { CLUSTER_BEAT_MS, ClusterView, FRESH_MS, Membership } from './membership.ts';

const NAMES = ['market:tide', 'market:reef', 'market:kelp', 'job:cleanup'];

class Gateway {
  readonly membership: Membership;
  readonly keeper: LeaseKeeper;
  readonly store: LeaseTableStore;
  readonly events: string[] = [];

  constructor(id: GatewayId, table: LeaseTable, clock: ManualClock) {
    const joining = { id, address: `10.0.0.${id}:7000`, process: `${id}`, protocol: 1 };
    this.store = table.join(joining);
    this.keeper = new LeaseKeeper({
      ...{ self: id, store: this.store, log: silentLog, names: () => NAMES },
      onTaken: (name) => void this.events.push(`+${name}`),
      onLost: (name) => void this.events.push(`-${name}`),
    });
    this.membership = new Membership({
      ...{ self: id, store: this.store, clock, log: silentLog, isGone: () => false, lose: () => {} },
    });
    this.membership.listen((view) => this.keeper.look(view));
  }

  get held(): string[] {
    return NAMES.filter((name) => this.keeper.epoch(name) !== null);
  }
}

describe('the keeper of leases', () => {
  let clock: ManualClock;
  let table: LeaseTable;

  beforeEach(() => {
    clock = new ManualClock();
    table = new LeaseTable(clock);
  });

  test('the only gateway takes every lease at its first beat, and keeps them when another joins', async () => {
    const first = new Gateway(1, table, clock);
    await first.membership.start();
    await clock.advance(0);
    assert.deepEqual(first.held, NAMES);
    const second = new Gateway(2, table, clock);
    await second.membership.start();
    await clock.advance(10 * FRESH_MS);
    assert.deepEqual([first.held, second.held], [NAMES, []]);
  });

  test('of gateways that start together each lease has one holder', async () => {
    const gateways = [1, 2, 3].map((id) => new Gateway(id, table, clock));
    await Promise.all(gateways.map(({ membership }) => membership.start()));
    await clock.advance(2 * CLUSTER_BEAT_MS);
    assert.deepEqual(gateways.flatMap(({ held }) => held).sort(), [...NAMES].sort());
  });

  test('what a silent gateway held has another holder within four seconds, under a higher epoch', async () => {
    const first = new Gateway(1, table, clock);
    await first.membership.start();
    await clock.advance(0);
    const epochs = NAMES.map((name) => table.epoch(name));
    const others = [2, 3].map((id) => new Gateway(id, table, clock));
    await Promise.all(others.map(({ membership }) => membership.start()));
    await first.membership.stop();
    await clock.advance(FRESH_MS + 2 * CLUSTER_BEAT_MS);
    assert.deepEqual(others.flatMap(({ held }) => held).sort(), [...NAMES].sort());
    assert.ok(NAMES.every((name, at) => table.epoch(name) > (epochs[at] ?? 0)));
    // The one that was silent goes on, and learns it from its first beat.
    first.keeper.look(await beaten(first));
    assert.deepEqual([first.held, first.events.filter((event) => event.startsWith('-')).length], [[], NAMES.length]);
  });

  async function beaten(gateway: Gateway) {
    const state = await gateway.store.beat();
    assert.ok(state);
    return new ClusterView(state, 1, { gone: new Set(), refusing: new Set(), oldForMs: new Map() });
  }

  test('a lease that is given away is taken at the next beat of another, and not by who leaves', async () => {
    const gateways = [1, 2].map((id) => new Gateway(id, table, clock)) as [Gateway, Gateway];
    const [first, second] = gateways;
    await first.membership.start();
    await clock.advance(0);
    await second.membership.start();
    for (const { keeper } of gateways) keeper.leaves(1);
    for (const name of NAMES) await first.keeper.giveAway(name);
    await second.membership.soon();
    await clock.advance(0);
    assert.deepEqual([first.held, second.held], [[], NAMES]);
    await clock.advance(10 * FRESH_MS);
    assert.deepEqual([first.held, second.held], [[], NAMES]);
  });

  test('a lease is not lost by a state that was read before it was taken', async () => {
    const first = new Gateway(1, table, clock);
    const before = await beaten(first);
    first.keeper.look(before);
    await clock.advance(0);
    first.keeper.look(before);
    await clock.advance(0);
    assert.deepEqual([first.held, first.events], [NAMES, NAMES.map((name) => `+${name}`)]);
  });

  test('while the database does not answer nothing is taken, and after close what comes late is freed', async () => {
    const first = new Gateway(1, table, clock);
    const view = await beaten(first);
    table.down = true;
    first.keeper.look(view);
    await clock.advance(0);
    assert.deepEqual(first.held, []);
    table.down = false;
    first.keeper.look(view);
    await first.keeper.close();
    assert.deepEqual([first.held, NAMES.map((name) => table.holder(name))], [[], NAMES.map(() => null)]);
  });
});
