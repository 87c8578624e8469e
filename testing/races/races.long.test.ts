/**
 * Looks for races between a decision and its commit in 800 worlds, and for faults that were once there and are planted
 * again: each is found, so a world without a finding means something.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { liveInThread, type Plant } from './race-thread.ts';
import type { WorldKind } from './worlds.ts';

/** How many worlds a planted fault may take. */
const WORLDS_MAX = 200;

const seeds = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

describe('worlds', { concurrency: true }, () => {
  for (const [kind, count] of [['alone', 550] as const, ['cluster', 250] as const]) {
    test(`nothing races in ${count} worlds: ${kind}`, async () => {
      assert.equal(await liveInThread({ kind, seeds: seeds(1, count), plant: null }), null);
    });
  }
});

interface Planted extends Plant {
  readonly title: string;
  readonly kind: WorldKind;
  /** The first world that is tried, shortly before the one that showed it when this was written. */
  readonly from: number;
}

const faults: readonly Planted[] = [
  {
    title: 'a requeue gives back the slot of the next attempt',
    kind: 'alone',
    from: 1,
    file: 'orders/endings.ts',
    text: "slot?.release('finished');\n      learnFunds(this.#options, order, outcome.funds);\n      if (!isFree)",
    becomes:
      "order.slot?.release('finished');\n      learnFunds(this.#options, order, outcome.funds);\n      if (!isFree)",
  },
  {
    title: 'an input that could not be written counts as being in memory for ever',
    kind: 'alone',
    from: 1,
    file: 'orders/waiting-inputs.ts',
    text: "this.#change(order, input, { place: 'memory' });\n      }",
    becomes: "input.place = 'file';\n      }",
  },
  {
    title: 'ended orders stay among the deadlines',
    kind: 'alone',
    from: 1,
    file: 'orders/expiry-timer.ts',
    text: 'this.#heap.delete(deadline);',
    becomes: "this.#heap.delete(deadline); Reflect.set(this, 'kept', [Reflect.get(this, 'kept'), item]);",
  },
  {
    title: 'an order runs although its caller left while its input was read',
    kind: 'alone',
    from: 70,
    file: 'orders/stops.ts',
    text: 'if (order.callerLeft && !row.outlives)',
    becomes: 'if (isQueued && order.callerLeft && !row.outlives)',
  },
  {
    title: 'what an adopter could not pick up at once is not picked up later',
    kind: 'cluster',
    from: 11,
    file: 'service/cluster.ts',
    text: 'void pickUp.untilDone();',
    becomes: 'void pickUp.look().catch(() => {});',
  },
  {
    title: 'adoptions wait for one that cannot be finished',
    kind: 'alone',
    from: 51,
    file: 'cluster/membership/adoption.ts',
    text: 'const work = this.#bury(gateway)',
    becomes: 'const work = Promise.all(this.#adopting.values()).then(() => this.#bury(gateway))',
  },
  {
    title: 'in a cluster slots are given back before the end of their attempt has committed',
    kind: 'cluster',
    from: 1,
    file: 'orders/endings.ts',
    text: 'if (!this.#options.releaseAfterCommit) slot',
    becomes: 'slot',
  },
];

describe('planted faults are found', { concurrency: 2 }, () => {
  for (const { title, kind, from, ...plant } of faults) {
    test(title, async () => {
      const finding = await liveInThread({ kind, seeds: seeds(from, WORLDS_MAX), plant });
      assert.ok(finding, `it was not found in ${WORLDS_MAX} worlds`);
    });
  }
});
