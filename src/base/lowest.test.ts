import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lowest } from './lowest.ts';

test('the lowest number that holds is found, wherever it is', () => {
  for (let high = 0; high < 40; high++)
    for (let first = 0; first <= high; first++)
      assert.equal(
        lowest(high, (number) => number >= first),
        first,
      );
});

test('a search that begins near the number finds it in a few steps, and from anywhere else too', () => {
  for (let near = -1; near < 45; near++)
    for (let first = 0; first <= 40; first++) {
      let steps = 0;
      const holds = (number: number) => {
        steps++;
        return number >= first;
      };
      assert.equal(lowest(40, holds, near), first);
      const way = Math.abs(near - first);
      if (near >= 0 && near < 40) assert.ok(steps <= 4 + 2 * Math.log2(1 + way), `${steps} steps from ${near}`);
    }
});

test('where none below holds it is the highest, which is not asked', () => {
  const asked: number[] = [];
  const none = lowest(100, (number) => {
    asked.push(number);
    return false;
  });
  assert.deepEqual([none, asked.includes(100), asked.length <= 7], [100, false, true]);
});

test('prices beyond 2^32 are found in some sixty steps', () => {
  let steps = 0;
  const found = lowest(1e18, (price) => {
    steps++;
    return price >= 123_456_789_012;
  });
  assert.equal(found, 123_456_789_012);
  assert.ok(steps <= 61, `${steps}`);
});
