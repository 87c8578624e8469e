/** What must hold at fixed prices, on every simulated day. The figures are those that `sluice simulate` prints. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairness, fixedPriceDays } from './fixed-prices.ts';

for (const day of fixedPriceDays) {
  test(`${day.slots} slots, ${day.name}: everyone gets the slot time that is due`, () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { holds, figure } = fairness(day, seed);
      assert.ok(holds, `seed ${seed}: ${figure}`);
    }
  });
}
