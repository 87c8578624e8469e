import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { UseOrder } from './use-order.ts';

/** Keys and values, the one used longest ago first. */
const entriesOf = (values: UseOrder<number>) => [...values].map(({ key, value }) => [key, value]).reverse();

test('values are kept in the order of their last use, and the oldest goes first', () => {
  const values = new UseOrder<number>();
  for (const [index, key] of ['a', 'b', 'c'].entries()) values.add(key, index);
  const first = values.get('a');
  assert.ok(first);
  values.use(first);
  assert.deepEqual([first.value, values.get('b')?.value, values.get('x')], [0, 1, null]);
  const expected = [
    ['b', 1],
    ['c', 2],
    ['a', 0],
  ];
  assert.deepEqual(entriesOf(values), expected);
  assert.deepEqual(
    [values.takeOldest(), values.takeOldest(), values.takeOldest(), values.takeOldest()],
    [1, 2, 0, null],
  );
  assert.equal(first.isGone, true);
});

test('any uses and deletions leave the order that a Map has whose entries are set anew', () => {
  const random = seededRandom(4);
  const values = new UseOrder<number>();
  const map = new Map<string, number>();
  for (let step = 0; step < 5000; step++) {
    const key = `${Math.floor(random.next() * 12)}`;
    const known = map.get(key);
    map.delete(key);
    if (random.next() < 0.2) values.delete(key);
    else {
      map.set(key, known ?? step);
      const entry = values.get(key) ?? values.add(key, step);
      values.use(entry);
      assert.deepEqual([entry.value, entry.isGone], [known ?? step, false]);
    }
    if (step % 50 === 0) {
      for (const { key: each } of values) if (Number(each) % 3 === 0) values.delete(each);
      for (const each of map.keys()) if (Number(each) % 3 === 0) map.delete(each);
    }
    assert.deepEqual(entriesOf(values), [...map]);
    assert.equal(values.size, map.size);
  }
});
