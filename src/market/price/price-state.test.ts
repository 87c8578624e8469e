import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PriceState, PriceStateTexts, priceStateFrom } from '../exchange/market-prices.ts';

const state: PriceState = {
  calibration: { correction: 0.5, resolvedMean: 2 },
  arrivals: [
    { atMs: 1, bins: [[3, 1 / 3]] },
    { atMs: 1, bins: [] },
  ],
  pace: { atMs: 1, sum: 2 },
  turnover: { heldMs: 3, ended: 4 },
  claims: [['ann', 2 / 3]],
  voices: { atMs: 1, all: [1, 2], accounts: [['ann "one"', 1 / 7, 2]] },
};

test('a stored text has the whole state, with six decimals', () => {
  assert.deepEqual(priceStateFrom(new PriceStateTexts().text(state)), {
    ...state,
    arrivals: [{ atMs: 1, bins: [[3, 0.333333]] }, state.arrivals[1]],
    claims: [['ann', 0.666667]],
    voices: { ...state.voices, accounts: [['ann "one"', 0.142857, 2]] },
  });
});

test('whatever changes, the text has it', () => {
  const texts = new PriceStateTexts();
  texts.text(state);
  for (const changed of [
    { ...state, turnover: { heldMs: 5, ended: 6 } },
    { ...state, claims: [['ben', 0.5]] as const },
    { ...state, voices: { ...state.voices, all: [3, 4] as const } },
    state,
  ]) {
    assert.equal(texts.text(changed), new PriceStateTexts().text(changed));
  }
});
