/**
 * Looks for races between a decision and its commit in 2,000 worlds, and for faults that were once there and are planted
 * again: each is found, so a world without a finding means something.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { liveInThread, type Plant } from './race-thread.ts';
import type { WorldKind } from './worlds.ts';

/** How many worlds a fault may take. */
const WORLDS_MAX = 200;

const tasks = [
  { kind: 'alone', from: 1, to: 1_400 },
  { kind: 'cluster', from: 1, to: 600 },
] as const;

describe('worlds', { concurrency: true }, () => {
  for (const task of tasks) {
    test(`nothing races in ${task.to} worlds: ${task.kind}`, async () => {
      assert.equal((await liveInThread(task)).finding, null);
    });
  }
});

interface Planted extends Plant {
  readonly title: string;
  readonly kind: WorldKind;
}

const faults: readonly Planted[] = [
  {
    title: 'a requeue gives back the slot of the next attempt',
    kind: 'alone',
    file: 'orders/endings.ts',
    text: "slot?.release('finished');\n      this.#learnFunds(order, outcome.funds);\n      if (!isFree)",
    becomes: "order.slot?.release('finished');\n      this.#learnFunds(order, outcome.funds);\n      if (!isFree)",
  },
  {
    title: 'an input that could not be written counts as being in memory for ever',
    kind: 'alone',
    file: 'orders/waiting-inputs.ts',
    text: "this.#change(order, input, { place: 'memory' });\n      }",
    becomes: "input.place = 'file';\n      }",
  },
  {
    title: 'ended orders stay among the deadlines',
    kind: 'alone',
    file: 'orders/deadlines.ts',
    text: 'this.#heap.delete(deadline);',
    becomes: "this.#heap.delete(deadline); Reflect.set(this, 'kept', [Reflect.get(this, 'kept'), item]);",
  },
  {
    title: 'an order runs although its caller left while its input was read',
    kind: 'alone',
    file: 'orders/stops.ts',
    text: 'if (order.callerLeft && !row.outlives)',
    becomes: 'if (isQueued && order.callerLeft && !row.outlives)',
  },
  {
    title: 'what an adopter could not pick up at once is not picked up later',
    kind: 'cluster',
    file: 'service/cluster.ts',
    text: 'void pickUp.untilDone();',
    becomes: 'void pickUp.look().catch(() => {});',
  },
  {
    title: 'adoptions wait for one that cannot be finished',
    kind: 'cluster',
    file: 'cluster/membership/adoption.ts',
    text: 'const work = this.#bury(gateway)',
    becomes: 'const work = Promise.all(this.#adopting.values()).then(() => this.#bury(gateway))',
  },
  {
    title: 'in a cluster slots are given back before the end of their attempt has committed',
    kind: 'cluster',
    file: 'orders/endings.ts',
    text: 'if (!this.#options.releaseAfterCommit) slot',
    becomes: 'slot',
  },
];

describe('planted faults are found', { concurrency: 2 }, () => {
  for (const { title, kind, ...plant } of faults) {
    test(title, async () => {
      const { finding } = await liveInThread({ kind, from: 1, to: WORLDS_MAX, plant });
      assert.ok(finding, `it was not found in ${WORLDS_MAX} worlds`);
    });
  }
});
