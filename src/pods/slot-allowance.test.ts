import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { SlotAllowance } from './slot-allowance.ts';

let clock: ManualClock;
let told: number[];

beforeEach(() => {
  clock = new ManualClock();
  told = [];
});

function slots(configured: number): SlotAllowance {
  const allowance: SlotAllowance = new SlotAllowance(configured, clock, () => told.push(allowance.slots));
  return allowance;
}

test('a pod that has no room is offered what it runs, and an eighth more each second', async () => {
  const allowance = slots(16);
  allowance.refused(11);
  assert.equal(allowance.slots, 11);
  await clock.advance(10_000);
  assert.deepEqual(told, [11, 13, 15, 16]);
  assert.equal(clock.pending, 0);
});

test('a pod that refuses while it runs nothing is offered nothing for a second', async () => {
  const allowance = slots(2);
  allowance.refused(0);
  await clock.advance(999);
  assert.equal(allowance.slots, 0);
  await clock.advance(1);
  assert.equal(allowance.slots, 1);
});

test('each growth that is refused again doubles the wait, up to half a minute', async () => {
  const allowance = slots(1);
  allowance.refused(0);
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    await clock.advance(waitMs - 1);
    assert.equal(allowance.slots, 0);
    await clock.advance(1);
    assert.equal(allowance.slots, 1);
    allowance.refused(0);
  }
});

test('many refusals of one moment are one', async () => {
  const allowance = slots(8);
  for (let order = 0; order < 8; order++) allowance.refused(0);
  await clock.advance(1_000);
  assert.deepEqual(told, [0, 1]);
});

test('a finished answer makes the next wait short again', async () => {
  const allowance = slots(1);
  for (const waitMs of [1_000, 2_000]) {
    allowance.refused(0);
    await clock.advance(waitMs);
  }
  allowance.served();
  allowance.refused(0);
  await clock.advance(2_000);
  assert.equal(allowance.slots, 1);
});

test('after close no timer is left', () => {
  const allowance = slots(1);
  allowance.refused(0);
  allowance.close();
  assert.equal(clock.pending, 0);
});
