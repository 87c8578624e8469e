import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from './slots.ts';

/** Whether a promise has been kept by now. */
async function isKept(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<boolean>((no) => setImmediate(() => no(false)))]);
}

test('as many are in hand as lines and bytes allow', async () => {
  const slots = new Slots({ linesMax: 2, bytesMax: 10 });
  await slots.take(9);
  const second = slots.take(2);
  assert.equal(await isKept(second), false);
  slots.give(9);
  assert.equal(await isKept(second), true);
  await slots.take(2);
  const third = slots.take(0);
  assert.equal(await isKept(third), false);
  slots.give(2);
  assert.equal(await isKept(third), true);
});

test('a line that is larger than everything is let in alone', async () => {
  const slots = new Slots({ linesMax: 2, bytesMax: 10 });
  await slots.take(99);
  const next = slots.take(1);
  assert.equal(await isKept(next), false);
  slots.give(99);
  assert.equal(await isKept(next), true);
});

test('empty waits for all that is in hand', async () => {
  const slots = new Slots({ linesMax: 2, bytesMax: 10 });
  assert.equal(await isKept(slots.empty()), true);
  await slots.take(1);
  const empty = slots.empty();
  assert.equal(await isKept(empty), false);
  slots.give(1);
  assert.equal(await isKept(empty), true);
});
