import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromNano, fromNumber, money, nanoOf, toNumber } from './money.ts';

describe('amounts', () => {
  it('are read from numbers without an exponent', () => {
    assert.deepEqual([3.33333e-4, 1e-9, 0, 2, 0.1].map(fromNumber), ['0.000333333', '0.000000001', '0', '2', '0.1']);
    assert.deepEqual([fromNumber(null), fromNumber(undefined)], [null, undefined]);
  });

  it('add and compare exactly', () => {
    assert.equal(money.add('0.1', '0.2', '0.000000001'), '0.300000001');
    assert.equal(money.subtract('1', '1.000000001'), '-0.000000001');
    assert.ok(money.compare('0.000000009', '0.00000001') < 0);
  });

  it('have a fixed number of decimals for people, rounded half up', () => {
    assert.deepEqual(
      [money.format('1.005'), money.format('2', 0), money.format('-0.126', 2), money.format('0.999')],
      ['1.01', '2', '-0.13', '1.00'],
    );
  });

  it('are whole nano-dollars', () => {
    assert.deepEqual([nanoOf('2.5'), fromNano(-1n), fromNano(1_500_000_000n)], [2_500_000_000n, '-0.000000001', '1.5']);
    for (const wrong of ['', 'abc', '1e3', '0.0000000001', '1.']) assert.throws(() => nanoOf(wrong), RangeError);
  });

  it('are sent as numbers, and refused where a number would be another amount', () => {
    assert.deepEqual([toNumber('0.000006852'), toNumber(2), toNumber(null)], [0.000006852, 2, null]);
    for (const wrong of ['two', '', '1234567.123456789', '1e5']) assert.throws(() => toNumber(wrong), RangeError);
  });
});
