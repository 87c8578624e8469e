/** Who takes the orders of a dead gateway over: one, also when it fails or dies on the way. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { LeaseTable } from '#simulations/cluster/lease-table.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { GatewayId } from '../messages.ts';
import { DEAD_MS } from '../ports.ts';
import { Adoption } from './adoption.ts';
import { CLUSTER_BEAT_MS, Membership } from './membership.ts';

class Gateway {
  readonly membership: Membership;
  readonly adoption: Adoption;
  readonly events: string[] = [];
  failures = 0;
  /** Resolves never while set: the adopter stands still in the middle. */
  stuck = false;
  /** Gateways with one order that cannot be taken over. */
  setApart: GatewayId[] = [];

  constructor(id: GatewayId, table: LeaseTable, clock: ManualClock) {
    const joining = { id, address: `10.0.0.${id}:7000`, process: `${id}`, protocol: 1 };
    const store = table.join(joining);
    this.adoption = new Adoption({
      ...{ self: id, store, clock, log: silentLog },
      onBuried: (gateway) => void this.events.push(`buried ${gateway}`),
      takeOver: async (gateway) => {
        if (this.stuck) await new Promise<void>(() => {});
        if (this.failures-- > 0) throw new Error('the database does not answer');
        this.events.push(`took ${gateway}`);
        return !this.setApart.includes(gateway);
      },
      onForgotten: (gateway) => void this.events.push(`forgot ${gateway}`),
    });
    this.membership = new Membership({
      ...{ self: id, store, clock, log: silentLog, isGone: () => false, lose: () => {} },
    });
    this.membership.listen((view) => this.adoption.look(view));
  }
}

describe('adoption', () => {
  let clock: ManualClock;
  let gateways: readonly [Gateway, Gateway, Gateway];

  beforeEach(async () => {
    clock = new ManualClock();
    const table = new LeaseTable(clock);
    gateways = [new Gateway(1, table, clock), new Gateway(2, table, clock), new Gateway(3, table, clock)];
    for (const { membership } of gateways) await membership.start();
  });

  const eventsOf = (...of: readonly Gateway[]) => of.flatMap(({ events }) => events).sort();

  test('a gateway that is silent for ten seconds is adopted by one of the others, once', async () => {
    const [first, second, third] = gateways;
    await first.membership.stop();
    await clock.advance(DEAD_MS);
    assert.deepEqual(eventsOf(second, third), []);
    await clock.advance(5 * CLUSTER_BEAT_MS);
    assert.deepEqual(eventsOf(second, third), ['buried 1', 'forgot 1', 'took 1']);
    await clock.advance(2 * DEAD_MS);
    assert.equal(eventsOf(second, third).length, 3);
  });

  test('what fails on the way is repeated until it is done', async () => {
    const [first, second, third] = gateways;
    for (const gateway of [second, third]) gateway.failures = 3;
    await first.membership.stop();
    await clock.advance(DEAD_MS + 5 * CLUSTER_BEAT_MS);
    assert.deepEqual(eventsOf(second, third), ['buried 1']);
    await clock.advance(4_000);
    assert.deepEqual(eventsOf(second, third), ['buried 1', 'forgot 1', 'took 1']);
  });

  test('when the adopter dies on the way, the next adopts both', async () => {
    const [first, second, third] = gateways;
    for (const gateway of [second, third]) gateway.stuck = true;
    await first.membership.stop();
    await clock.advance(DEAD_MS + 5 * CLUSTER_BEAT_MS);
    const adopter = second.events.length > 0 ? second : third;
    const heir = adopter === second ? third : second;
    assert.deepEqual([adopter.events, heir.events], [['buried 1'], []]);
    heir.stuck = false;
    await adopter.membership.stop();
    await clock.advance(DEAD_MS + 10 * CLUSTER_BEAT_MS);
    const of = heir === third ? 2 : 3;
    assert.deepEqual(
      eventsOf(heir),
      ['buried 1', `buried ${of}`, 'forgot 1', `forgot ${of}`, 'took 1', `took ${of}`].sort(),
    );
  });

  test('an order that cannot be taken over holds up no other adoption, and is tried again', async () => {
    const [first, second, third] = gateways;
    third.setApart = [1];
    await Promise.all([first.membership.stop(), second.membership.stop()]);
    await clock.advance(DEAD_MS + 10 * CLUSTER_BEAT_MS);
    assert.deepEqual(eventsOf(third), ['buried 1', 'buried 2', 'forgot 2', 'took 1', 'took 2']);
    third.setApart = [];
    await clock.advance(31_000);
    assert.deepEqual(third.events.slice(-2), ['took 1', 'forgot 1']);
  });

  test('a gateway whose orders can never be taken over does not hold up the end of its adopter', async () => {
    const [first, second, third] = gateways;
    third.setApart = [1];
    await Promise.all([first.membership.stop(), second.membership.stop()]);
    await clock.advance(DEAD_MS + 10 * CLUSTER_BEAT_MS);
    await third.adoption.close();
  });

  test('after close nothing is adopted', async () => {
    const [first, second, third] = gateways;
    await Promise.all([second.adoption.close(), third.adoption.close()]);
    await first.membership.stop();
    await clock.advance(3 * DEAD_MS);
    assert.deepEqual(eventsOf(second, third), []);
  });
});
