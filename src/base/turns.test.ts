import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

test('so much runs at once, at once; the rest in the order in which it came', async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (number: number) =>
    turns.run(() => {
      begun.push(number);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const first = work(1);
  for (const number of [2, 3, 4]) void work(number);
  assert.deepEqual(begun, [1, 2]);
  ends[0]?.();
  await first;
  void work(5);
  await new Promise(setImmediate);
  assert.deepEqual(begun, [1, 2, 3]);
  ends[1]?.();
  ends[2]?.();
  await new Promise(setImmediate);
  assert.deepEqual(begun, [1, 2, 3, 4, 5]);
});

test('work that fails gives its turn on, and tells who asked for it', async () => {
  const turns = new Turns(1);
  const failing = turns.run(() => Promise.reject(new Error('no')));
  const next = turns.run(async () => 'yes');
  await assert.rejects(failing, { message: 'no' });
  assert.equal(await next, 'yes');
});
