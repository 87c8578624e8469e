/** The receipt: its values are enough to recompute the charge. Spec 2.9. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { wireReceipt } from './receipt.ts';
import { chargeOf, type Tariff, type Tokens, tariffOf } from './tariff.ts';

const market = tariffOf('market', { cached: '0.1', uncached: '1', output: '4' });
const fixed = tariffOf('fixed', { cached: '0.05', uncached: '0.5', output: '1.5' });
const tokens = { uncached: 1200, cached: 3400, output: 560 };

function receiptOf(tariff: Tariff, level: number, counts: Tokens) {
  const charged = chargeOf(tariff, level, counts);
  return { orderId: 'o', tariff, price: level, bid: level, charged, tokens: counts };
}

describe('receipt', () => {
  test('a market order shows the level, the bid and the charge with nine decimals', () => {
    assert.deepEqual(wireReceipt({ ...receiptOf(market, 500_000_000, tokens), bid: 2_000_000_000 }), {
      order_id: 'o',
      pricing: 'market',
      level_at_execution: 0.5,
      bid: 2,
      // (3400 × 0.1 + 1200 × 1 + 560 × 4) × 0.5 ÷ 0.27 ÷ 10^6
      charged_usd: 0.007,
    });
  });

  test('an order with a bound of its charge shows it, and whether it was reached', () => {
    const bound = { maxCharge: 7_500_000n, reached: false };
    const wire = wireReceipt({ ...receiptOf(market, 500_000_000, tokens), bound });
    assert.deepEqual([wire.max_charge_usd, wire.max_charge_reached], [0.0075, false]);
    assert.equal('max_charge_usd' in wireReceipt(receiptOf(market, 1, tokens)), false);
  });

  test('a receipt says when its tokens are an estimate, and nothing otherwise', () => {
    const wire = wireReceipt({ ...receiptOf(market, 1, tokens), estimated: true });
    assert.equal(wire.usage_estimated, true);
    assert.equal('usage_estimated' in wireReceipt({ ...receiptOf(market, 1, tokens), estimated: false }), false);
  });

  test('a fixed-price order also shows its three prices at submission', () => {
    const wire = wireReceipt(receiptOf(fixed, 125_000_000, tokens));
    assert.equal(wire.pricing, 'fixed');
    assert.deepEqual(wire.usd_per_million, { cached: 0.05, uncached: 0.5, output: 1.5 });
    assert.equal(wire.charged_usd, 0.00161);
  });

  test('anyone can recompute the charge, to the nano-dollar, from the numbers on the wire', () => {
    const counts = fc.record({
      uncached: fc.nat({ max: 200_000 }),
      cached: fc.nat({ max: 200_000 }),
      output: fc.nat({ max: 50_000 }),
    });
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000_000_000 }), counts, (level, sample) => {
        const read = JSON.parse(JSON.stringify(wireReceipt(receiptOf(market, level, sample))));
        // As integers: the level in nano-dollars, the ratio 0.1 : 1 : 4 in tenths, the mix 0.27 in hundredths.
        const shown = BigInt(Math.round(read.level_at_execution * 1e9));
        const tenths = BigInt(sample.cached + 10 * sample.uncached + 40 * sample.output);
        const [over, under] = [2n * shown * tenths * 10n, 27n * 1_000_000n];
        // Twice the exact cost is within one of twice the charge: no other nano-dollar is closer.
        const off = over - 2n * under * BigInt(Math.round(read.charged_usd * 1e9));
        assert.ok(off >= -under && off <= under);
      }),
      { seed: 1 },
    );
  });

  test('a charge of zero is the number 0', () => {
    assert.equal(wireReceipt(receiptOf(market, 0, tokens)).charged_usd, 0);
  });
});
