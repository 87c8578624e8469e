import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PodSlots } from './pod-slots.ts';

function pods(...rows: readonly (readonly [id: string, slots: number, held: number, healthy?: boolean])[]): PodSlots {
  const table = new PodSlots();
  for (const [id, slots, held, healthy = true] of rows) {
    table.set(id, slots, healthy);
    for (let count = 0; count < held; count++) table.take(id);
  }
  return table;
}

test('only slots of healthy pods count', () => {
  const table = pods(['a', 4, 1], ['b', 8, 2, false]);
  assert.deepEqual([table.total, table.free], [4, 3]);
});

test('the pod with the smallest share of its slots held is chosen', () => {
  assert.equal(pods(['a', 2, 1], ['b', 8, 3], ['c', 4, 2]).choose(null), 'b');
});

test('the pod to avoid is chosen only when no other has room', () => {
  assert.equal(pods(['a', 8, 0], ['b', 8, 7]).choose('a'), 'b');
  assert.equal(pods(['a', 8, 0], ['b', 8, 8]).choose('a'), 'a');
});

test('no pod is chosen when none has room', () => {
  assert.equal(pods(['a', 1, 1], ['b', 4, 0, false], ['c', 0, 0]).choose(null), null);
});

test('a pod whose slots shrink below its executing orders has no room until enough have ended', () => {
  const table = pods(['a', 3, 3]);
  table.set('a', 1, true);
  assert.deepEqual([table.total, table.free], [1, 0]);
  table.give('a');
  table.give('a');
  assert.equal(table.free, 0);
  table.give('a');
  assert.equal(table.free, 1);
});

test('a pod that returns still has its executing orders', () => {
  const table = pods(['a', 2, 1]);
  table.set('a', 2, false);
  table.set('a', 2, true);
  assert.deepEqual([table.total, table.free], [2, 1]);
});

test('giving back a slot of an unknown pod is an error', () => {
  assert.throws(() => pods().give('a'), /has no slots/);
});
