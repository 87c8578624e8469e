import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DueQueue } from './due-queue.ts';

test('items fall due in the order in which they came, each after its time', () => {
  const queue = new DueQueue<string>(500);
  queue.put('one', 1000);
  queue.put('two', 1200);
  assert.deepEqual([queue.dueBy(1499), queue.take(1499)], [null, null]);
  assert.equal(queue.dueBy(9000), 1500);
  assert.deepEqual([queue.take(1500), queue.take(1500)], ['one', null]);
  assert.deepEqual([queue.take(1700), queue.dueBy(9000)], ['two', null]);
});

test('after the clock stepped back, what is due too far in the future is due now', () => {
  const queue = new DueQueue<string>(500);
  queue.put('one', 10_000);
  assert.equal(queue.dueBy(10_000), null);
  assert.equal(queue.dueBy(9999), 9999);
  assert.equal(queue.take(9999), 'one');
});

test('thousands pass through, none twice and none left out', () => {
  const queue = new DueQueue<number>(10);
  const taken: number[] = [];
  for (let at = 0; at < 10_000; at++) {
    queue.put(at, at);
    for (let item = queue.take(at); item !== null; item = queue.take(at)) taken.push(item);
  }
  assert.deepEqual(
    taken,
    Array.from({ length: 9990 }, (_, item) => item),
  );
  assert.equal(queue.dueBy(10_000), 10_000);
});
