import assert from 'node:assert/strict';
import { test } from 'node:test';
import { upTheDecade } from './depth.ts';

test('a number becomes the next of ten in a decade, and one that is on the grid stays', () => {
  const numbers = [0, 0.001, 0.0011, 0.9, 1, 1.01, 1.3, 8, 8.1, 10, 11, 99, 100, 101, 6400];
  assert.deepEqual(
    numbers.map(upTheDecade),
    [0, 0.001, 0.00125, 1, 1, 1.25, 1.6, 8, 10, 10, 12.5, 100, 100, 125, 6400],
  );
});
