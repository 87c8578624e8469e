import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cheapestOf, startPriceOf } from '../src/board/start-price.ts';

type Row = Parameters<typeof startPriceOf>[0];
const row = (fields: Partial<Row>): Row =>
  ({
    ...{ level: null, quote: null, preview: false, deprecated: false, degraded: false },
    ...{ usd_per_million: { cached: 1, uncached: 1, output: 1 }, ...fields },
  }) as Row;
const quote = (price: number) => ({ price, valid_until: '2026-11-27T00:00:00Z' });

test('a request that starts now pays the lower of level and quote, and on a fixed price the reference mix', () => {
  assert.equal(startPriceOf(row({ level: 0.4, quote: quote(0.6) })), 0.4);
  assert.equal(startPriceOf(row({ level: 0.4, quote: quote(0.1) })), 0.1);
  assert.equal(startPriceOf(row({ level: 0.4 })), 0.4);
  // 0.9 × $0.02 + 0.1 × $0.1 + 0.02 × $0.4
  const fixed = startPriceOf(row({ usd_per_million: { cached: 0.02, uncached: 0.1, output: 0.4 } }));
  assert.equal(fixed.toFixed(12), '0.036000000000');
});

test('the cheapest model is one that takes requests now', () => {
  const cheap = { model: 'cheap', level: 0.1 };
  const sold = row({ model: 'sold', level: 0.5 });
  for (const hindrance of ['preview', 'deprecated', 'degraded'] as const)
    assert.equal(cheapestOf([row({ ...cheap, [hindrance]: true }), sold]), sold);
  assert.equal(cheapestOf([sold, row(cheap)])?.model, 'cheap');
  assert.equal(cheapestOf([]), null);
});
