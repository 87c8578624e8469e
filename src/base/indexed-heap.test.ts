import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type HeapItem, IndexedHeap, OUTSIDE } from './indexed-heap.ts';

interface Numbered extends HeapItem {
  readonly rank: number;
}

test('the first item is the lowest of those that were added and not deleted, whatever was deleted', () => {
  const step = fc.oneof(fc.record({ add: fc.integer({ min: 0, max: 20 }) }), fc.record({ drop: fc.nat() }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const heap = new IndexedHeap<Numbered>((one, other) => one.rank < other.rank);
      const inside: Numbered[] = [];
      for (const each of steps) {
        if ('add' in each) {
          const item = { rank: each.add, at: OUTSIDE };
          heap.add(item);
          inside.push(item);
        } else if (inside.length > 0) {
          const [item] = inside.splice(each.drop % inside.length, 1);
          if (item) heap.delete(item);
          assert.equal(item?.at, OUTSIDE);
        }
        const lowest = inside.length > 0 ? Math.min(...inside.map(({ rank }) => rank)) : undefined;
        assert.equal(heap.first?.rank, lowest);
      }
    }),
    { seed: 1 },
  );
});

test('an item that is in no heap can be deleted, and a cleared heap has none', () => {
  const heap = new IndexedHeap<Numbered>((one, other) => one.rank < other.rank);
  const [one, other] = [
    { rank: 1, at: OUTSIDE },
    { rank: 2, at: OUTSIDE },
  ];
  heap.add(one);
  heap.delete(other);
  assert.equal(heap.first, one);
  heap.clear();
  assert.deepEqual([heap.first, one.at], [undefined, OUTSIDE]);
});
