/** What the file is before a schema sees it: aliases, keys and how decimals are written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLimits } from '#generated/schemas/configuration.js';
import { parseConfig } from '#testing/judged-config.ts';
import { ConfigError } from './environment.ts';
import { YamlFile } from './yaml-file.ts';

const model = (more: string) =>
  `default_model: a\nmodels:\n  - {id: a, type: market, context_length: 9, max_output_length: 9, pricing_ratio: {cached: 0, uncached: 1, output: 4}, ${more}}\n`;
const listing = (more: string) => parseConfig(model(more), 'sluice.yaml', {}).listings.default;

function refusal(text: string): string {
  try {
    parseConfig(text, 'sluice.yaml', {});
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return assert.fail('it was accepted');
}

test('an alias is the last anchor of that name before it, written as it is there', () => {
  const { floor, reserve, ceiling } = listing('floor: &price 0.1, reserve: *price, ceiling: &price 999999.123456789');
  assert.deepEqual([floor, reserve, ceiling], [100_000_000, 100_000_000, 999_999_123_456_789]);
  assert.deepEqual(listing('aliases: [&b b, c], display_name: *b, ceiling: 4').displayName, 'b');
});

test('the same mapping in two places has the defaults of each', () => {
  const { market, probes } = parseConfig(`${model('ceiling: 4')}market: &all {}\nprobes: *all\n`, 'sluice.yaml', {});
  assert.deepEqual([market.quote.intervalMs, probes.intervalMs], [10_000, 60_000]);
});

test('an alias without an anchor is refused, and one inside of its anchor has no value', () => {
  const missing = 'sluice.yaml:3: *b has no anchor before it; write the value here.';
  assert.equal(refusal(model('ceiling: *b')), missing);
  const fault = 'models[0].aliases is a list; make every entry a name of letters, digits and . _ : / @ -.';
  assert.equal(refusal(model('ceiling: 4, aliases: &a [*a]')), `sluice.yaml:3: ${fault}`);
});

test('aliases that repeat each other a billion times are refused at once', () => {
  const ten = (name: string, of: string) => `${name}: &${name} [${Array(10).fill(of).join()}]`;
  const lines = Array.from({ length: 9 }, (_, depth) => ten(`x${depth}`, depth === 0 ? '1' : `*x${depth - 1}`));
  assert.match(refusal(lines.join('\n')), /^sluice\.yaml:\d+: aliases repeat more than 1000000 values; use fewer\.$/);
});

test('a decimal in quotes has the same form and bounds', () => {
  assert.equal(listing('ceiling: "4.5"').ceiling, 4_500_000_000);
  for (const wrong of ['"1000001"', '"-1"', '"1e3"', '1e3', '0x10', '.5', '+1'])
    assert.match(
      refusal(model(`ceiling: ${wrong}`)),
      /models\[0\]\.ceiling is ".*"; make it a plain decimal from 0 to/,
    );
});

test('a key without a value counts as absent, also where no key of its name may be', () => {
  assert.equal(listing('ceiling: 4, floor: , aliases: ~, pods: [{id: b, slots: 1, simulated: true, url: }]').floor, 0);
  assert.match(refusal(model('ceiling: ')), /models\[0\]\.ceiling is missing; add a line such as ceiling: 100\.$/);
  assert.match(refusal(`${model('ceiling: 4')}colour:\n`), /^sluice\.yaml:4: colour is not a setting here; remove it/);
});

test('names are kept in the order of the file, also numbers', () => {
  const file = new YamlFile('{10: a, b: c, 2: d}', 'sluice.yaml');
  assert.deepEqual(file.entries(file.top), [
    ['10', 'a'],
    ['b', 'c'],
    ['2', 'd'],
  ]);
});

test('the limits of a file can be checked without the rest of it', () => {
  const limitsOf = (text: string) => new YamlFile(text, 'sluice.yaml').checked(isLimits, 'limits');
  assert.equal(limitsOf('models: 3').queued_orders, 8000);
  assert.equal(limitsOf('limits: {queued_orders: 1}').queued_orders, 1);
  const refused = (message: string) => ({ name: 'ConfigError', message });
  assert.throws(
    () => limitsOf('limits: {queued_orders: 0}'),
    refused('sluice.yaml:1: limits.queued_orders is "0"; make it a whole number from 1 to 1125899906842624.'),
  );
  assert.throws(() => limitsOf('limits: 3'), refused('sluice.yaml:1: limits is "3"; make it a mapping of settings.'));
});
