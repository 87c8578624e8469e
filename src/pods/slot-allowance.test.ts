import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { SlotAllowance } from './slot-allowance.ts';

let clock: ManualClock;
let offered: number[];

beforeEach(() => {
  clock = new ManualClock();
  offered = [];
});

function slots(configured: number): SlotAllowance {
  const allowance: SlotAllowance = new SlotAllowance(configured, clock, () => offered.push(allowance.slots));
  return allowance;
}

test('a pod without room is offered what it runs, and an eighth more each second', async () => {
  const allowance = slots(16);
  allowance.wasFull(11);
  assert.equal(allowance.slots, 11);
  await clock.advance(10_000);
  assert.deepEqual(offered, [11, 13, 15, 16]);
  assert.equal(clock.pending, 0);
});

test('a pod that refuses while it is idle is offered nothing for a second', async () => {
  const allowance = slots(2);
  allowance.wasFull(0);
  await clock.advance(999);
  assert.equal(allowance.slots, 0);
  await clock.advance(1);
  assert.equal(allowance.slots, 1);
});

test('each growth that is refused doubles the wait, up to half a minute', async () => {
  const allowance = slots(1);
  allowance.wasFull(0);
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    await clock.advance(waitMs - 1);
    assert.equal(allowance.slots, 0);
    await clock.advance(1);
    assert.equal(allowance.slots, 1);
    allowance.wasFull(0);
  }
});

test('several refusals at once count as one', async () => {
  const allowance = slots(8);
  for (let order = 0; order < 8; order++) allowance.wasFull(0);
  await clock.advance(1_000);
  assert.deepEqual(offered, [0, 1]);
});

test('a completed answer resets the wait', async () => {
  const allowance = slots(1);
  for (const waitMs of [1_000, 2_000]) {
    allowance.wasFull(0);
    await clock.advance(waitMs);
  }
  allowance.served();
  allowance.wasFull(0);
  await clock.advance(2_000);
  assert.equal(allowance.slots, 1);
});

test('after close no timer is left', () => {
  const allowance = slots(1);
  allowance.wasFull(0);
  allowance.close();
  assert.equal(clock.pending, 0);
});

test('other slots are offered at once; a pod with less room grows from there on to the new number', async () => {
  const allowance = slots(8);
  allowance.resize(2);
  allowance.resize(16);
  assert.deepEqual(offered, [2, 16]);
  allowance.wasFull(3);
  allowance.resize(32);
  assert.equal(allowance.slots, 3);
  await clock.advance(1_000);
  assert.equal(allowance.slots, 7);
  allowance.resize(7);
  assert.deepEqual([allowance.slots, clock.pending], [7, 0]);
  allowance.resize(1);
  assert.equal(allowance.slots, 1);
});
