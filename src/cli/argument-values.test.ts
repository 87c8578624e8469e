import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAmount, readPriceLimit, readRetentionDays, readTopUp } from './argument-values.ts';

test('an amount is read to the nano-dollar', () => {
  assert.equal(readAmount('12.500000001'), 12_500_000_001n);
});

test('an amount that is 0, negative or not a number is refused', () => {
  for (const text of ['0', '-1', 'ten', '1e3', '1.0000000001', ''])
    assert.throws(() => readAmount(text), /is not an amount/);
});

test('a top-up outside $10 to $10,000 is refused unless forced', () => {
  assert.equal(readTopUp('10', false), 10_000_000_000n);
  assert.equal(readTopUp('10000', false), 10_000_000_000_000n);
  assert.throws(() => readTopUp('9.99', false), /add --force/);
  assert.throws(() => readTopUp('10000.01', false), /add --force/);
  assert.equal(readTopUp('9.99', true), 9_990_000_000n);
  assert.throws(() => readTopUp('0', true), /is not an amount/);
});

test('results are kept for 0 to 30 days', () => {
  assert.equal(readRetentionDays('0'), 0);
  assert.equal(readRetentionDays('30'), 30);
  for (const text of ['31', '-1', '1.5', 'x']) assert.throws(() => readRetentionDays(text), /--retention-days is/);
});

test('a price limit names a model and USD per 1M input tokens', () => {
  assert.deepEqual(readPriceLimit('org/tide=70b=2.5'), { model: 'org/tide=70b', price: 2_500_000_000 });
  assert.deepEqual(readPriceLimit('tide=1000000000'), { model: 'tide', price: 1e18 });
  for (const text of ['tide', 'tide=', '=2', 'tide=-1', 'tide=1000000001', 'tide=x'])
    assert.throws(() => readPriceLimit(text), /is not a price limit/);
});
