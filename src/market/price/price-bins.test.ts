import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PriceBins } from './demand-curve.ts';

test('the lowest bin holds only the price 0, and each other one reaches the factor higher', () => {
  const bins = new PriceBins(2.5);
  // They end at 1, 2.5, 6.25, 15.625.
  const prices = [0, 1, 2, 3, 6, 7, 15, 16];
  assert.deepEqual(
    prices.map((price) => bins.of(price)),
    [0, 1, 1, 2, 2, 3, 3, 4],
  );
  assert.deepEqual(
    [0, 1, 2, 3].map((bin) => bins.topOf(bin)),
    [0, 2, 6, 15],
  );
});

test('a price has the same bin whatever was asked before', () => {
  const bins = new PriceBins(1.001);
  for (const price of [5, 5, 700, 5, 0, 0, 1e18, 700]) assert.equal(bins.of(price), new PriceBins(1.001).of(price));
});
