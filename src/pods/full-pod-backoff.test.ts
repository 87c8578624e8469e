import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { FullPodBackoff } from './full-pod-backoff.ts';

let clock: ManualClock;
let offered: number[];

beforeEach(() => {
  clock = new ManualClock();
  offered = [];
});

function slots(configured: number): FullPodBackoff {
  const backoff: FullPodBackoff = new FullPodBackoff(configured, clock, () => offered.push(backoff.slots));
  return backoff;
}

test('a pod without room is offered what it runs, and an eighth more each second', async () => {
  const backoff = slots(16);
  backoff.wasFull(11);
  assert.equal(backoff.slots, 11);
  await clock.advance(10_000);
  assert.deepEqual(offered, [11, 13, 15, 16]);
  assert.equal(clock.pending, 0);
});

test('a pod that refuses while it is idle is offered nothing for a second', async () => {
  const backoff = slots(2);
  backoff.wasFull(0);
  await clock.advance(999);
  assert.equal(backoff.slots, 0);
  await clock.advance(1);
  assert.equal(backoff.slots, 1);
});

test('each growth that is refused doubles the wait, up to half a minute', async () => {
  const backoff = slots(1);
  backoff.wasFull(0);
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    await clock.advance(waitMs - 1);
    assert.equal(backoff.slots, 0);
    await clock.advance(1);
    assert.equal(backoff.slots, 1);
    backoff.wasFull(0);
  }
});

test('several refusals at once count as one', async () => {
  const backoff = slots(8);
  for (let order = 0; order < 8; order++) backoff.wasFull(0);
  await clock.advance(1_000);
  assert.deepEqual(offered, [0, 1]);
});

test('a completed answer resets the wait', async () => {
  const backoff = slots(1);
  for (const waitMs of [1_000, 2_000]) {
    backoff.wasFull(0);
    await clock.advance(waitMs);
  }
  backoff.served();
  backoff.wasFull(0);
  await clock.advance(2_000);
  assert.equal(backoff.slots, 1);
});

test('after close no timer is left', () => {
  const backoff = slots(1);
  backoff.wasFull(0);
  backoff.close();
  assert.equal(clock.pending, 0);
});

test('other slots are offered at once; a pod with less room grows from there on to the new number', async () => {
  const backoff = slots(8);
  backoff.resize(2);
  backoff.resize(16);
  assert.deepEqual(offered, [2, 16]);
  backoff.wasFull(3);
  backoff.resize(32);
  assert.equal(backoff.slots, 3);
  await clock.advance(1_000);
  assert.equal(backoff.slots, 7);
  backoff.resize(7);
  assert.deepEqual([backoff.slots, clock.pending], [7, 0]);
  backoff.resize(1);
  assert.equal(backoff.slots, 1);
});
