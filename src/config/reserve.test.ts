import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '#testing/judged-config.ts';
import { ConfigError } from './config.ts';

/** A market and a fixed-price model, with these lines. */
function parse(market: string, fixed = '') {
  const lengths = 'context_length: 4096, max_output_length: 1024';
  const text = `
default_model: tide
models:
  - {id: tide, type: market, ${lengths}, pricing_ratio: {cached: 0.1, uncached: 1, output: 4}, floor: 0.25, ceiling: 100${market}}
  - {id: harbor, type: fixed, ${lengths}, usd_per_million: {cached: 0.02, uncached: 0.1, output: 0.4}${fixed}}
`;
  return parseConfig(text, 'sluice.yaml', {}).listings;
}

test('the reserve of a market is 0 unless the file says otherwise, and a fixed-price model has none', () => {
  assert.equal(parse('').find('tide')?.reserve, 0);
  const listings = parse(', reserve: 0.75');
  assert.deepEqual([listings.find('tide')?.reserve, listings.find('tide')?.floor], [750_000_000, 250_000_000]);
  assert.equal(listings.find('harbor')?.reserve, 0);
  assert.equal(parse(', reserve: 100').find('tide')?.reserve, 100_000_000_000);
});

for (const [what, market, fixed, message] of [
  ['above the ceiling', ', reserve: 100.5', '', 'models[0].reserve is above ceiling; make it at most the ceiling.'],
  ['below 0', ', reserve: -1', '', 'models[0].reserve is "-1"; make it a plain decimal from 0 to 1000000'],
  ['on a fixed-price model', '', ', reserve: 4', 'models[1].reserve is not a setting here; remove it'],
] as const) {
  test(`a reserve ${what} is refused`, () => {
    const isRight = (error: unknown) => error instanceof ConfigError && error.message.includes(message);
    assert.throws(() => parse(market, fixed), isRight);
  });
}
