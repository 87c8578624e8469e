import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PriceState, priceStateFrom, stateText } from '../exchange/market-prices.ts';

test('a stored text has the whole state, with six decimals where it was not rounded before', () => {
  const state: PriceState = {
    calibration: { correction: 1 / 7, resolvedMean: 2 },
    arrivals: [
      { atMs: 1, bins: [[3, 0.333]] },
      { atMs: 1, bins: [] },
    ],
    turnover: { heldMs: 3, ended: 4, claimed: 2 },
    level: { exact: 5.5, high: 6 },
    past: { last: 0, lows: [] },
    asked: { served: 0.1, unserved: 0.2 },
    waiting: 20_000,
    runs: { atMs: 1, unknown: [1], accounts: [['ann "one"', 0.143, 2]] },
    paid: [
      { atMs: 1, bins: [] },
      { atMs: 1, bins: [] },
    ],
  };
  assert.deepEqual(priceStateFrom(stateText(state)), {
    ...state,
    calibration: { correction: 0.142857, resolvedMean: 2 },
  });
});
