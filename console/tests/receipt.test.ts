import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { chargeOf, tariffOf } from '#ledger/tariff.ts';
import { paidText } from '../src/parts/paid.ts';
import { costLine, nano, recomputedNano, stepsOf } from '../src/settings/receipt.ts';

const tokens = { cached: 0, uncached: 17, output: 42 };
const ratio = { cached: 0.1, uncached: 1, output: 4 };

test('the receipt of docs/buy/receipts.md, and of a fixed price', () => {
  assert.equal(recomputedNano({ pricing: 'market', price: 0.01, ratio }, tokens), 6852n);
  assert.equal(stepsOf({ pricing: 'market', price: 0.01, ratio }, tokens), '0.01 × 185 ÷ 0.27 ÷ 1,000,000');
  const prices = { cached: 0.02, uncached: 0.1, output: 0.4 };
  assert.equal(recomputedNano({ pricing: 'fixed', prices }, tokens), 18_500n);
});

test('the charge is shown as counts and prices, whose product it is', () => {
  const line = costLine({ pricing: 'market', price: 0.01, ratio }, tokens);
  assert.equal(line, '(17 input tokens × $0.037037037 + 42 output tokens × $0.148148148) ÷ 1,000,000 = $0.000006852');
  assert.equal(((17 * 0.037037037 + 42 * 0.148148148) / 1e6).toFixed(9), '0.000006852');
  const prices = { cached: 0.02, uncached: 0.1, output: 0.4 };
  assert.equal(
    costLine({ pricing: 'fixed', prices }, { cached: 1_000_000, uncached: 0, output: 0 }),
    '1,000,000 cached input tokens × $0.02 ÷ 1,000,000 = $0.02',
  );
});

test('a receipt says whether the level or the bid was paid, and calls only the level so', () => {
  assert.equal(
    paidText({ bid: 0.375, price: 0.164, level: 0.164 }),
    'You bid $0.375, the level was $0.164 when it started: you paid the level and saved 56.26%.',
  );
  assert.equal(
    paidText({ bid: 0.005, price: 0.005, level: 0.01 }),
    'You bid $0.005, less than the level, which was $0.01 when it started. A slot was free: you paid your bid.',
  );
  assert.equal(
    paidText({ bid: 0.005, price: 0.005, level: null }),
    'You bid $0.005. The level was not lower when it started, and a slot was free: you paid your bid.',
  );
});

test('halves are rounded to the even neighbour', () => {
  const charged = (uncached: number) =>
    recomputedNano({ pricing: 'fixed', prices: { cached: 0, uncached: 0.0005, output: 0 } }, { ...tokens, uncached });
  assert.deepEqual([1, 3, 5].map(charged), [0n, 2n, 2n]);
});

test('dollars become nano-dollars to the last digit', () => {
  const known: [number, bigint][] = [
    [0.1, 100_000_000n],
    [1e-9, 1n],
    [4.35, 4_350_000_000n],
    [2_500_000.000000001, 2_500_000_000_000_001n],
  ];
  for (const [usd, amount] of known) assert.equal(nano(usd), amount, String(usd));
});

test('ten thousand receipts agree with the gateway', () => {
  const random = seededRandom(7);
  const below = (most: number) => Math.floor(random.next() * most);
  const weight = () => ((1 + below(2000)) / 1000).toFixed(3);
  for (let round = 0; round < 10_000; round++) {
    const parts = { cached: weight(), uncached: weight(), output: weight() };
    const numbers = { cached: Number(parts.cached), uncached: Number(parts.uncached), output: Number(parts.output) };
    const counts = { cached: below(100_000), uncached: below(100_000), output: below(20_000) };
    const price = below(5_000_000_000);
    assert.equal(
      recomputedNano({ pricing: 'market', price: price / 1e9, ratio: numbers }, counts),
      chargeOf(tariffOf('market', parts), price, counts),
    );
    assert.equal(
      recomputedNano({ pricing: 'fixed', prices: numbers }, counts),
      chargeOf(tariffOf('fixed', parts), 0, counts),
    );
  }
});
