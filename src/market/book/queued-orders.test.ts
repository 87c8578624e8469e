import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { NO_NUMBER, NO_PLACE, type QueuedItem, QueuedOrders, type SpareBid } from './queued-orders.ts';

class Item implements QueuedItem {
  place = NO_PLACE;
}

function listOf(count: number): { list: QueuedOrders<Item>; items: Item[] } {
  const list = new QueuedOrders<Item>();
  const items = Array.from({ length: count }, () => new Item());
  for (const item of items) list.add(item);
  return { list, items };
}

test('the list holds what a Set would hold', () => {
  const random = seededRandom(1);
  const items = Array.from({ length: 12 }, () => new Item());
  const list = new QueuedOrders<Item>();
  const expected = new Set<Item>();
  for (let round = 0; round < 4000; round++) {
    const item = items[Math.floor(random.next() * items.length)] ?? new Item();
    // For a while most come, then most go.
    if (expected.has(item)) {
      if (random.next() < (round % 400 < 200 ? 0.2 : 0.8)) {
        list.delete(item);
        expected.delete(item);
      }
    } else if (random.next() < (round % 400 < 200 ? 0.8 : 0.2)) {
      list.add(item);
      list.setSpare(item, { price: 1, seq: round });
      expected.add(item);
    } else list.delete(item);
    const found = list.bestSpares(items.length, 0);
    assert.deepEqual([new Set(found), found.length], [expected, expected.size]);
    assert.equal(list.isEmpty, expected.size === 0);
  }
});

test('the best spare bids are those with the highest price, of equal ones those with the lowest seq', () => {
  const { list, items } = listOf(5);
  const [low, late, early, none, young] = items as [Item, Item, Item, Item, Item];
  list.setSpare(low, { price: 0, seq: 1 });
  list.setSpare(late, { price: 7, seq: 9 });
  list.setSpare(early, { price: 7, seq: 2 });
  list.setSpare(young, { price: 8, seq: 3, number: 4 });
  assert.deepEqual([list.bestSpares(1, 4), list.bestSpares(9, 4)], [[early], [early, late, low]]);
  assert.deepEqual(list.bestSpares(2, 5), [young, early]);
  assert.deepEqual([list.hasSpare(none), list.hasSpare(late), list.spareSeq(late)], [false, true, 9]);
  assert.deepEqual(
    [list.spareNumber(young), list.spareNumber(late), list.spareNumber(none)],
    [4, NO_NUMBER, NO_NUMBER],
  );
  list.clearSpare(young);
  assert.deepEqual([list.bestSpares(1, 5), list.spareNumber(young)], [[early], NO_NUMBER]);
});

test('of thousands that came and went nothing is kept, and those that are left keep their bids', () => {
  const { list, items } = listOf(7000);
  for (const [seq, item] of items.entries()) list.setSpare(item, { price: seq % 100, seq, number: seq });
  const left = items.filter((_, at) => at % 70 === 69);
  for (const [at, item] of items.entries()) if (at % 70 !== 69) list.delete(item);
  assert.ok(Math.max(...left.map(({ place }) => place)) < 500, 'the gaps are closed');
  for (const item of left) assert.equal(list.spareSeq(item), items.indexOf(item));
  const best = left.toSorted((one, two) => (items.indexOf(two) % 100) - (items.indexOf(one) % 100));
  assert.deepEqual(list.bestSpares(100, 7000), best);
});

test('whoever takes the place of another has none of its bid', () => {
  const { list, items } = listOf(3);
  const [first, second] = items as [Item, Item, Item];
  list.setSpare(first, { price: 9, seq: 1, number: 3 });
  list.delete(first);
  list.add(first);
  assert.deepEqual([list.hasSpare(first), list.spareNumber(first), list.bestSpares(3, 9)], [false, NO_NUMBER, []]);
  list.setSpare(second, { price: 1, seq: 2 });
  list.delete(first);
  assert.deepEqual(list.bestSpares(3, 9), [second]);
});

test('whatever comes and goes, the best are those that sorting finds', () => {
  const random = seededRandom(2);
  const pick = (count: number) => Math.floor(random.next() * count);
  const { list, items } = listOf(60);
  const spare = new Map<Item, Required<SpareBid>>();
  for (let step = 0; step < 4000; step++) {
    const item = items[pick(items.length)] as Item;
    const dice = pick(10);
    if (dice < 2) {
      list.delete(item);
      list.add(item);
      spare.delete(item);
    } else if (dice < 4) {
      list.clearSpare(item);
      spare.delete(item);
    } else {
      const bid = { price: pick(8), seq: step, number: pick(3) === 0 ? pick(100) : NO_NUMBER };
      list.setSpare(item, bid);
      spare.set(item, bid);
    }
    const [count, firstYoung] = [1 + pick(30), pick(100)];
    const expected = [...spare]
      .filter(([, { number }]) => number < firstYoung)
      .sort(([, one], [, two]) => two.price - one.price || one.seq - two.seq)
      .slice(0, count);
    assert.deepEqual(
      list.bestSpares(count, firstYoung).map((each) => items.indexOf(each)),
      expected.map(([each]) => items.indexOf(each)),
    );
  }
});
