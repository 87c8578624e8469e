import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from './semaphore.ts';

test('tasks run at once up to the limit, the others in order of arrival', async () => {
  const semaphore = new Semaphore(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (number: number) =>
    semaphore.run(() => {
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

test('a task that fails frees its permit, and its caller gets the error', async () => {
  const semaphore = new Semaphore(1);
  const failing = semaphore.run(() => Promise.reject(new Error('no')));
  const next = semaphore.run(async () => 'yes');
  await assert.rejects(failing, { message: 'no' });
  assert.equal(await next, 'yes');
});
