import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DueQueue } from './due-queue.ts';

/** What the queue hands on until then. */
function takenBy<Item>(queue: DueQueue<Item>, nowMs: number): Item[] {
  const taken: Item[] = [];
  queue.advanceTo(nowMs, (item) => taken.push(item));
  return taken;
}

test('items fall due in the order in which they came, each after its time', () => {
  const queue = new DueQueue<string>(500);
  queue.put('one', 1000);
  queue.put('two', 1200);
  assert.deepEqual([queue.dueBy(1499), takenBy(queue, 1499)], [null, []]);
  assert.equal(queue.dueBy(9000), 1500);
  assert.deepEqual([takenBy(queue, 1500), takenBy(queue, 1500)], [['one'], []]);
  assert.deepEqual([takenBy(queue, 1700), queue.dueBy(9000)], [['two'], null]);
});

test('after the clock stepped back, what is due too far in the future is due now', () => {
  const queue = new DueQueue<string>(500);
  queue.put('one', 10_000);
  assert.equal(queue.dueBy(10_000), null);
  assert.equal(queue.dueBy(9999), 9999);
  assert.deepEqual(takenBy(queue, 9999), ['one']);
});

test('thousands pass through, none twice, and none left out', () => {
  const queue = new DueQueue<number>(10);
  const taken: number[] = [];
  for (let at = 0; at < 10_000; at++) {
    queue.put(at, at);
    taken.push(...takenBy(queue, at));
  }
  assert.deepEqual(
    taken,
    Array.from({ length: 9990 }, (_, item) => item),
  );
  assert.equal(queue.dueBy(10_000), 10_000);
});

test('what passes falls due like an item', () => {
  const queue = new DueQueue<string>(10);
  for (const nowMs of [0, 0, 3]) queue.pass(nowMs);
  queue.put('one', 3);
  assert.deepEqual([queue.dueBy(20), takenBy(queue, 10)], [10, []]);
  assert.deepEqual([queue.dueBy(20), takenBy(queue, 13), queue.dueBy(20)], [13, ['one'], null]);
  queue.pass(3);
  assert.equal(queue.dueBy(20), 13);
});
