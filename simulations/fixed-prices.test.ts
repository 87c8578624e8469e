/** What must hold at fixed prices, on every simulated day. The figures are those that `sluice simulate` prints. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedPriceDays, fixedPriceTable, playFixedPrices } from './fixed-prices.ts';

for (const day of fixedPriceDays) {
  const { name, slots } = day;
  const within = name.startsWith('jobs of') ? 0.05 : 0.1;
  test(`${slots} slots, ${name}: everyone gets the slot time that is due`, () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { lowest, highest } = playFixedPrices(day, seed);
      assert.ok(lowest >= 1 - within && highest <= 1 + within, `seed ${seed}: ${lowest} to ${highest}`);
    }
  });
}

test('the table has a row for each outcome, and no head without any', () => {
  const table = fixedPriceTable([{ name: 'two accounts', slots: 8, lowest: 0.9954, highest: 1 }]);
  assert.match(table, /\n\| two accounts +\| +8 \| +0\.995 \| +1\.000 \|$/);
  assert.equal(fixedPriceTable([]), '');
});
