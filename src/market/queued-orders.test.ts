import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { type Linked, QueuedOrders } from './queued-orders.ts';

class Item implements Linked<Item> {
  older: Item | null = null;
  newer: Item | null = null;
}

test('the list holds what a Set would hold, in the same order', () => {
  const random = seededRandom(1);
  const items = Array.from({ length: 12 }, () => new Item());
  const list = new QueuedOrders<Item>();
  const expected = new Set<Item>();
  for (let round = 0; round < 2000; round++) {
    const item = items[Math.floor(random.next() * items.length)] ?? new Item();
    if (random.next() < 0.5 || expected.has(item)) {
      list.delete(item);
      expected.delete(item);
    } else {
      list.add(item);
      expected.add(item);
    }
    assert.deepEqual([...list], [...expected]);
    assert.equal(list.isEmpty, expected.size === 0);
  }
});

test('the present item may be removed', () => {
  const list = new QueuedOrders<Item>();
  for (let count = 0; count < 5; count++) list.add(new Item());
  let seen = 0;
  for (const item of list) {
    list.delete(item);
    seen++;
  }
  assert.deepEqual([seen, list.isEmpty], [5, true]);
});
