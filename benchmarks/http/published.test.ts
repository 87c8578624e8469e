import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { arrivals } from './arrivals.ts';
import { scenarios } from './measure.ts';
import { isSlower, isWorse, publishedAdded, publishedRatios } from './published.ts';

const PUBLISHED = readFileSync(new URL('../../docs/understand/benchmarks.md', import.meta.url), 'utf8');
const PAGE = `
| scenario        | connections | sluice req/s |
|-----------------|------------:|-------------:|
| unary, 8 chunks |          20 |         2748 |

| scenario        | connections | floor CPU µs | sluice ÷ floor | floor KB |
|-----------------|------------:|-------------:|---------------:|---------:|
| unary, 8 chunks |          20 |          110 |           3.60 |     20.1 |
| unary, 8 chunks |          64 |          105 |           2.90 |     20.0 |

| scenario        | connections | sluice ÷ floor |
|-----------------|------------:|---------------:|
| unary, 8 chunks |          20 |           9.99 |
`;

test('the ratios are those of the first table that has them', () => {
  assert.deepEqual(
    [...publishedRatios(PAGE)],
    [
      ['unary, 8 chunks, 20', 3.6],
      ['unary, 8 chunks, 64', 2.9],
    ],
  );
});

test('a page without the column is refused', () => {
  assert.throws(() => publishedRatios('# Benchmarks'), /No table has the column/);
});

test('a tenth more than published is worse, and a row that is not published cannot be', () => {
  assert.deepEqual([isWorse(2.19, 2), isWorse(2.21, 2), isWorse(9, undefined)], [false, true, false]);
});

test('the published tables have every scenario', () => {
  const published = publishedRatios(PUBLISHED);
  for (const { name, connections } of scenarios) assert.ok((published.get(`${name}, ${connections}`) ?? 0) > 1);
  const added = publishedAdded(PUBLISHED);
  for (const { label } of arrivals) assert.ok((added.get(label)?.p99 ?? 0) > 0, label);
});

test('what is added is the difference to the direct call of the same row', () => {
  const page = `
| arrivals | direct | floor | Sluice |
|---|---:|---:|---:|
| unary, 400/s | 0.8; 1.8; 7.0 | 1; 2; 3 | 2.3; 6.8; 9.0 |
`;
  const added = publishedAdded(page).get('unary, 400/s');
  assert.ok(added);
  assert.deepEqual([added.p50.toFixed(1), added.p99.toFixed(1)], ['1.5', '5.0']);
  assert.throws(() => publishedAdded('nothing'), /arrivals/);
  assert.equal(isSlower({ p50: 2.7, p99: 11.9 }, added), false);
  assert.equal(isSlower({ p50: 2.8, p99: 5 }, added), true);
  assert.equal(isSlower({ p50: 1.5, p99: 12.1 }, added), true);
});
