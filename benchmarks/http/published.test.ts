import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { scenarios } from './measure.ts';
import { isWorse, publishedRatios } from './published.ts';

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

test('the published table has a ratio for every scenario', () => {
  const published = publishedRatios(
    readFileSync(new URL('../../docs/understand/benchmarks.md', import.meta.url), 'utf8'),
  );
  for (const { name, connections } of scenarios) assert.ok((published.get(`${name}, ${connections}`) ?? 0) > 1);
});
