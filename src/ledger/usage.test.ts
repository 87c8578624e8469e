import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Metered, tokensToCharge } from './usage.ts';

const metered = (change: Partial<Metered>): Metered => ({
  reported: null,
  outputChunks: null,
  outputDeltas: 7,
  outputBytes: () => 40,
  promptEstimate: 101,
  promptBound: 200,
  estimatedCachedShare: 0,
  outputCap: 100,
  contextLength: 1000,
  ...change,
});
const reported = (promptTokens: number, cachedTokens: number, outputTokens: number) =>
  metered({ reported: { promptTokens, cachedTokens, outputTokens } });

test('reported counts are charged as they are, with cached tokens separate', () => {
  assert.deepEqual(tokensToCharge(reported(50, 20, 9)), {
    tokens: { uncached: 30, cached: 20, output: 9 },
    estimated: false,
  });
});

test('a reported zero is a count, not a gap', () => {
  assert.deepEqual(tokensToCharge(reported(0, 0, 0)), {
    tokens: { uncached: 0, cached: 0, output: 0 },
    estimated: false,
  });
});

test('output above the cap is never charged, whichever count is used', () => {
  assert.equal(tokensToCharge(reported(50, 0, 5000)).tokens.output, 100);
  assert.equal(tokensToCharge(metered({ outputDeltas: 5000 })).tokens.output, 100);
});

test('without a report the whole prompt estimate is uncached and the output is counted', () => {
  assert.deepEqual(tokensToCharge(metered({})), { tokens: { uncached: 101, cached: 0, output: 10 }, estimated: true });
  assert.equal(tokensToCharge(metered({ outputDeltas: 12 })).tokens.output, 12);
});

test('a listing may say which share of an estimated prompt counts as cached', () => {
  const split = (estimatedCachedShare: number) => tokensToCharge(metered({ estimatedCachedShare })).tokens;
  assert.deepEqual(split(0.9), { uncached: 10, cached: 91, output: 10 });
  assert.deepEqual(split(1), { uncached: 0, cached: 101, output: 10 });
});

test('without a report chunks of one token each are counted, and their bytes are not', () => {
  const counted = tokensToCharge(metered({ outputChunks: 6 }));
  assert.deepEqual([counted.tokens.output, counted.estimated], [6, true]);
  assert.equal(tokensToCharge(metered({ outputChunks: 101 })).tokens.output, 100);
  assert.equal(tokensToCharge({ ...reported(50, 0, 9), outputChunks: 6 }).tokens.output, 9);
});

test('an estimate never exceeds the hold', () => {
  const { tokens } = tokensToCharge(metered({ promptEstimate: 750, promptBound: 101 }));
  assert.deepEqual(tokens, { uncached: 101, cached: 0, output: 10 });
});

test('impossible reports are replaced by the estimate', () => {
  for (const bad of [
    reported(10, 11, 1),
    reported(1001, 0, 1),
    reported(-1, 0, 1),
    reported(10, 0, 1.5),
    reported(Number.NaN, 0, 1),
  ]) {
    assert.equal(tokensToCharge(bad).estimated, true);
  }
});
