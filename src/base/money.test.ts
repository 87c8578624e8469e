import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { divideHalfEven, divideUp, formatPrice, formatUsd, nanoToUsd, parseUsd, priceFromUsd } from './money.ts';

const amounts = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });

test('an amount is unchanged by formatting and parsing', () => {
  fc.assert(
    fc.property(amounts, (amount) => parseUsd(formatUsd(amount)) === amount),
    { seed: 1 },
  );
});

test('an amount has at least two decimals and no unnecessary zeros', () => {
  const written = [0n, 1n, 10_000_000_000n, 123n, -1_500_000_000n, 1_230_000_000n].map(formatUsd);
  assert.deepEqual(written, ['0.00', '0.000000001', '10.00', '0.000000123', '-1.50', '1.23']);
});

test('anything except a plain decimal with up to nine decimals is not an amount', () => {
  for (const text of ['', '1.', '.5', '1e3', ' 1', '1.0000000001', '--1', 'NaN', '1,5'])
    assert.equal(parseUsd(text), null, text);
});

test('a price limit is rounded down to whole nano-dollars, never up', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), (usd) => {
      const price = priceFromUsd(usd);
      return Number.isInteger(price) && price / 1e9 <= usd && (price + 1) / 1e9 > usd;
    }),
    { seed: 1 },
  );
});

test('a price that is a whole number of nano-dollars keeps its value', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (nano) => priceFromUsd(Number(formatPrice(nano))) === nano),
    { seed: 1 },
  );
  for (const usd of [0, 0.57, 1.15, 0.000000001, 4.35, 1_000_000_000])
    assert.equal(Number(formatPrice(priceFromUsd(usd))), usd);
});

test('the JSON number of an amount has its nine decimals, and never an exponent', () => {
  const written = [0n, 1n, 10n, 8n, 123n, -123n, 999n, 1000n, -1000n, 1_234_567_891n, 10n ** 18n].map((amount) =>
    JSON.stringify(nanoToUsd(amount)),
  );
  assert.deepEqual(written, [
    ...['0', '0.000000001', '0.00000001', '0.000000008', '0.000000123', '-0.000000123', '0.000000999'],
    ...['0.000001', '-0.000001', '1.234567891', '1000000000'],
  ]);
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), (amount) => {
      const digits = JSON.stringify(nanoToUsd(amount));
      return /^-?\d+(\.\d{1,9})?$/.test(digits) && parseUsd(digits) === amount;
    }),
    { seed: 1 },
  );
});

test('a price of the lowest and of the highest limit has plain digits', () => {
  assert.deepEqual([0, 8, 999, 1000, 1e18].map(formatPrice), [
    '0',
    '0.000000008',
    '0.000000999',
    '0.000001',
    '1000000000',
  ]);
});

test('division rounds half to even, and up for holds', () => {
  const halves = [1n, 3n, 5n, 7n].map((numerator) => divideHalfEven(numerator, 2n));
  assert.deepEqual(halves, [0n, 2n, 2n, 4n]);
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 30n }),
      fc.bigInt({ min: 1n, max: 10n ** 15n }),
      (numerator, denominator) => {
        const error = 2n * (divideHalfEven(numerator, denominator) * denominator - numerator);
        const up = divideUp(numerator, denominator) * denominator - numerator;
        return error <= denominator && -error <= denominator && up >= 0n && up < denominator;
      },
    ),
    { seed: 1 },
  );
});
