import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binned } from '../src/console/bins.ts';

test('few prices are a step each, with the orders of all better ones', () => {
  const steps = binned([
    { price: 2, orders: 1 },
    { price: 1, orders: 3 },
    { price: 0, orders: 2 },
  ]);
  assert.deepEqual(
    steps.map(({ low, high, orders, above }) => [low, high, orders, above]),
    [
      [2, 2, 1, 1],
      [1, 1, 3, 4],
      [0, 0, 2, 6],
    ],
  );
});

test('many prices are gathered, and no order is lost', () => {
  const bids = Array.from({ length: 1000 }, (_, place) => ({ price: 100 * 0.99 ** place, orders: 1 + (place % 3) }));
  const steps = binned([...bids, { price: 0, orders: 5 }], 24);
  assert.ok(steps.length <= 24);
  const total = bids.reduce((sum, { orders }) => sum + orders, 5);
  assert.equal(
    steps.reduce((sum, { orders }) => sum + orders, 0),
    total,
  );
  assert.equal(steps.at(-1)?.above, total);
  for (const { low, high } of steps) assert.ok(low <= high);
});

test('an empty book has no steps', () => {
  assert.deepEqual(binned([]), []);
});
