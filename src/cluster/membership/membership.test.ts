/** What a gateway concludes from the beats of others: who may own markets, who is dead, and when it is dead itself. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { type Joining, LeaseTable, type LeaseTableStore } from '#simulations/cluster/lease-table.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { GatewayId } from '../messages.ts';
import { DEAD_MS } from '../ports.ts';
import { CLUSTER_BEAT_MS, FRESH_MS, Membership } from './membership.ts';

function joining(id: GatewayId): Joining {
  return { id, address: `10.0.0.${id}:7000`, process: `gateway-${id}`, protocol: 1 };
}

describe('membership', () => {
  let clock: ManualClock;
  let table: LeaseTable;
  let other: LeaseTableStore;
  let lost: boolean;
  const gone = new Set<string>();

  beforeEach(() => {
    clock = new ManualClock();
    table = new LeaseTable(clock);
    lost = false;
    gone.clear();
  });

  async function started(onClock?: (aheadMs: number) => void): Promise<Membership> {
    const store = table.join(joining(1));
    other = table.join(joining(2));
    const membership = new Membership({
      ...{ self: 1, store, clock, log: silentLog },
      isGone: (process) => gone.has(process),
      lose: () => {
        lost = true;
      },
      ...(onClock ? { onClock } : {}),
    });
    await membership.start();
    return membership;
  }

  const isFresh = (membership: Membership, id: GatewayId) => membership.view?.isFresh(id);
  const isDead = (membership: Membership, id: GatewayId) => {
    const gateway = membership.view?.find(id);
    assert.ok(gateway);
    return membership.view?.isDead(gateway);
  };

  test('a gateway that beats is fresh, one that is silent loses that after three seconds and its life after ten', async () => {
    const membership = await started();
    await clock.advance(FRESH_MS);
    assert.deepEqual([isFresh(membership, 2), isDead(membership, 2)], [true, false]);
    await clock.advance(2 * CLUSTER_BEAT_MS);
    assert.deepEqual([isFresh(membership, 2), isDead(membership, 2)], [false, false]);
    await clock.advance(DEAD_MS - FRESH_MS - 2 * CLUSTER_BEAT_MS);
    assert.equal(isDead(membership, 2), false);
    await clock.advance(CLUSTER_BEAT_MS);
    assert.deepEqual([isDead(membership, 2), isDead(membership, 1), isFresh(membership, 1)], [true, false, true]);
  });

  test('after an outage of the database nobody is dead who beats again at once', async () => {
    const membership = await started();
    table.down = true;
    await clock.advance(6 * DEAD_MS);
    assert.equal(isDead(membership, 2), false);
    table.down = false;
    await clock.advance(CLUSTER_BEAT_MS);
    assert.deepEqual([isFresh(membership, 2), isDead(membership, 2)], [true, false]);
    await other.beat();
    await clock.advance(4 * CLUSTER_BEAT_MS);
    assert.deepEqual([isFresh(membership, 2), isDead(membership, 2)], [true, false]);
  });

  test('a refused connection costs a gateway its markets and not its life, until it is connected again', async () => {
    const membership = await started();
    membership.refused(2);
    await clock.advance(0);
    assert.deepEqual([isFresh(membership, 2), isDead(membership, 2)], [false, false]);
    membership.connected(2);
    await membership.soon();
    assert.equal(isFresh(membership, 2), true);
  });

  test('a process that has certainly ended, and a gateway that left, are dead at once', async () => {
    const membership = await started();
    gone.add('gateway-2');
    await membership.soon();
    assert.deepEqual([isFresh(membership, 2), isDead(membership, 2)], [false, true]);
    gone.clear();
    await other.leave();
    await membership.soon();
    assert.deepEqual([isFresh(membership, 2), isDead(membership, 2)], [false, true]);
  });

  test('a gateway that was declared dead learns it from its next beat, and beats no more', async () => {
    await started();
    await table.join(joining(3)).bury(1, Number(clock.nowMs()));
    await clock.advance(DEAD_MS + CLUSTER_BEAT_MS);
    assert.equal(lost, false);
    table.down = true;
    await clock.advance(2 * DEAD_MS);
    const third = table.join(joining(3));
    table.down = false;
    const epoch = (await third.beat())?.gateways.find(({ id }) => id === 1)?.epoch ?? 0;
    assert.equal(await third.bury(1, epoch), true);
    await clock.advance(CLUSTER_BEAT_MS);
    assert.equal(lost, true);
    assert.equal(clock.pending, 0);
  });

  test('a gateway whose adopter died can be declared dead again', async () => {
    const membership = await started();
    const third = table.join(joining(3));
    await other.leave();
    assert.equal(await third.bury(2, (await third.beat())?.gateways.find(({ id }) => id === 2)?.epoch ?? 0), true);
    await membership.soon();
    assert.equal(isDead(membership, 2), false);
    await third.leave();
    await membership.soon();
    assert.deepEqual([isDead(membership, 2), isDead(membership, 3)], [true, true]);
  });

  test('each beat reports how far the clock is ahead', async () => {
    const seen: number[] = [];
    const membership = await started((aheadMs) => void seen.push(aheadMs));
    await clock.advance(2 * CLUSTER_BEAT_MS);
    assert.deepEqual(seen, [0, 0, 0]);
    await membership.stop();
    assert.equal(clock.pending, 0);
  });
});
