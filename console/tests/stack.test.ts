import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentsOf, stackOf } from '../src/charts/stack.ts';

const HOUR_MS = 3_600_000;

test('a bar for every hour from that of the first moment to that of the last, also where there is nothing', () => {
  assert.deepEqual(momentsOf(HOUR_MS + 5, 3 * HOUR_MS, HOUR_MS), [HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS]);
  assert.deepEqual(momentsOf(HOUR_MS, HOUR_MS, HOUR_MS), [HOUR_MS]);
});

test('the largest parts come first, sums of one part add up, and those of other times are left out', () => {
  const sums = [
    { atMs: 0, name: 'a', value: 1 },
    { atMs: HOUR_MS, name: 'b', value: 2 },
    { atMs: HOUR_MS, name: 'b', value: 3 },
    { atMs: 9 * HOUR_MS, name: 'a', value: 1 },
  ];
  const { names, bars } = stackOf(sums, [0, HOUR_MS]);
  assert.deepEqual(names, ['b', 'a']);
  assert.deepEqual(bars, [
    { atMs: 0, parts: [0, 1] },
    { atMs: HOUR_MS, parts: [5, 0] },
  ]);
});

test('of many parts the smallest are one', () => {
  const sums = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) => ({ atMs: 0, name, value: 10 - at }));
  const { names, bars } = stackOf(sums, [0]);
  assert.deepEqual(names, ['a', 'b', 'c', 'd', 'others']);
  assert.deepEqual(bars[0]?.parts, [10, 9, 8, 7, 6 + 5]);
});

test('parts that are named keep their order', () => {
  const { names, bars } = stackOf([{ atMs: 0, name: 'y', value: 4 }], [0], ['x', 'y']);
  assert.deepEqual([names, bars[0]?.parts], [['x', 'y'], [0, 4]]);
});
