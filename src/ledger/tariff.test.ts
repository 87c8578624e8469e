/**
 * Tariffs compared with an independent computation: plain fractions of the decimals as the specification writes them,
 * with no code from `tariff.ts`. Spec 1.4.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  chargeOf,
  outputWithin,
  priceAtMix,
  type Tokens,
  tariffFromId,
  tariffOf,
  tokenPrices,
  worstCaseOf,
} from './tariff.ts';

/** An exact fraction with a denominator above 0. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

const fraction = (text: string): Fraction => {
  const [whole = '0', decimals = ''] = text.split('.');
  return { over: BigInt(whole + decimals), under: 10n ** BigInt(decimals.length) };
};
const plus = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.under + b.over * a.under,
  under: a.under * b.under,
});
const times = (a: Fraction, b: Fraction): Fraction => ({ over: a.over * b.over, under: a.under * b.under });
const dividedBy = (a: Fraction, b: Fraction): Fraction => ({ over: a.over * b.under, under: a.under * b.over });
const whole = (value: number | bigint): Fraction => ({ over: BigInt(value), under: 1n });

/** Half to even, by comparison with both neighbours. */
function rounded({ over, under }: Fraction): bigint {
  const below = over / under;
  const left = over - below * under;
  const right = under - left;
  if (left !== right) return left < right ? below : below + 1n;
  return below % 2n === 0n ? below : below + 1n;
}

interface Parts {
  readonly cached: string;
  readonly uncached: string;
  readonly output: string;
}

/** 0.9·cached + 0.1·uncached + 0.02·output. */
function mix({ cached, uncached, output }: Parts): Fraction {
  const share = (text: string, part: string) => times(fraction(text), fraction(part));
  return plus(plus(share('0.9', cached), share('0.1', uncached)), share('0.02', output));
}

/** Σ tokens × price ÷ 10^6, in nano-dollars, before rounding. */
function exactCost(type: 'market' | 'fixed', parts: Parts, price: number, tokens: Tokens): Fraction {
  const unit = type === 'market' ? dividedBy(whole(price), mix(parts)) : whole(1_000_000_000);
  const kinds = ['cached', 'uncached', 'output'] as const;
  const cost = kinds.map((kind) => times(whole(tokens[kind]), times(fraction(parts[kind]), unit))).reduce(plus);
  return dividedBy(cost, whole(1_000_000));
}

const decimal = fc
  .tuple(fc.nat({ max: 5000 }), fc.nat({ max: 999_999_999 }), fc.nat({ max: 9 }))
  .map(([units, nano, places]) => {
    const decimals = String(nano).padStart(9, '0').slice(0, places);
    return places === 0 ? String(units) : `${units}.${decimals}`;
  });
const parts = fc.record({ cached: decimal, uncached: decimal, output: decimal });
const ratio = parts.filter((each) => mix(each).over > 0n);
const tokens = fc.record({
  uncached: fc.nat({ max: 10_000_000 }),
  cached: fc.nat({ max: 10_000_000 }),
  output: fc.nat({ max: 10_000_000 }),
});
const price = fc.oneof(fc.nat({ max: 1000 }), fc.maxSafeNat(), fc.constant(10 ** 18));

describe('tariff', () => {
  test('a charge is the exact cost, rounded once, half to even', () => {
    fc.assert(
      fc.property(ratio, price, tokens, (each, level, counts) => {
        assert.equal(
          chargeOf(tariffOf('market', each), level, counts),
          rounded(exactCost('market', each, level, counts)),
        );
      }),
      { seed: 1 },
    );
    fc.assert(
      fc.property(parts, tokens, (each, counts) => {
        assert.equal(chargeOf(tariffOf('fixed', each), 0, counts), rounded(exactCost('fixed', each, 0, counts)));
      }),
      { seed: 1 },
    );
  });

  test('a hold is the exact cost rounded up: never below the charge, at most one above', () => {
    fc.assert(
      fc.property(ratio, price, tokens, (each, level, counts) => {
        const tariff = tariffOf('market', each);
        const [charge, worst] = [chargeOf(tariff, level, counts), worstCaseOf(tariff, level, counts)];
        assert.ok(worst === charge || worst === charge + 1n);
      }),
      { seed: 1 },
    );
  });

  test('the output within an amount is the most whose worst case it pays', () => {
    const amount = fc.oneof(fc.bigInt({ min: 0n, max: 1000n }), fc.bigInt({ min: 0n, max: 10n ** 15n }));
    fc.assert(
      fc.property(ratio, fc.boolean(), price, tokens, amount, (each, fixed, level, { uncached, output }, paid) => {
        const tariff = tariffOf(fixed ? 'fixed' : 'market', each);
        const most = output + 1;
        const found = outputWithin(tariff, level, { uncached, amount: paid, most });
        const worst = (count: number) => worstCaseOf(tariff, level, { uncached, cached: 0, output: count });
        if (found === -1) assert.ok(worst(0) > paid);
        else assert.ok(found <= most && worst(found) <= paid);
        if (found >= 0 && found < most) assert.ok(worst(found + 1) > paid);
      }),
      { seed: 1 },
    );
  });

  test('a charge never falls when the price or a count rises', () => {
    fc.assert(
      fc.property(ratio, fc.nat(), fc.nat(), tokens, tokens, (each, level, more, counts, added) => {
        const tariff = tariffOf('market', each);
        const larger = {
          uncached: counts.uncached + added.uncached,
          cached: counts.cached + added.cached,
          output: counts.output + added.output,
        };
        assert.ok(chargeOf(tariff, level + more, larger) >= chargeOf(tariff, level, counts));
      }),
      { seed: 1 },
    );
  });

  test('a million input tokens at the reference mix cost the level', () => {
    fc.assert(
      fc.property(ratio, fc.maxSafeNat(), (each, level) => {
        const counts = { cached: 900_000, uncached: 100_000, output: 20_000 };
        assert.equal(chargeOf(tariffOf('market', each), level, counts), BigInt(level));
      }),
      { seed: 1 },
    );
  });

  test('a level of zero, or no tokens, cost nothing', () => {
    const tariff = tariffOf('market', { cached: '0.1', uncached: '1', output: '4' });
    assert.equal(chargeOf(tariff, 0, { cached: 9, uncached: 9, output: 9 }), 0n);
    assert.equal(chargeOf(tariff, 10 ** 18, { cached: 0, uncached: 0, output: 0 }), 0n);
    assert.equal(worstCaseOf(tariff, 0, { cached: 9, uncached: 9, output: 9 }), 0n);
  });

  test('a half is rounded to the even neighbour', () => {
    // One token at half a nano-dollar, then three halves, then five.
    const tariff = tariffOf('fixed', { cached: '0.0005', uncached: '0', output: '0' });
    const charges = [1, 3, 5].map((cached) => chargeOf(tariff, 0, { cached, uncached: 0, output: 0 }));
    assert.deepEqual(charges, [0n, 2n, 2n]);
  });

  test('the price of a fixed tariff at the mix follows the formula', () => {
    fc.assert(
      fc.property(parts, (each) => {
        const expected = rounded(times(mix(each), whole(1_000_000_000)));
        // A price is a double, which can represent every price that a listing may have.
        fc.pre(expected <= BigInt(Number.MAX_SAFE_INTEGER));
        assert.equal(BigInt(priceAtMix(tariffOf('fixed', each))), expected);
      }),
      { seed: 1 },
    );
  });

  test('the three displayed prices follow the formula', () => {
    fc.assert(
      fc.property(ratio, fc.maxSafeNat(), (each, level) => {
        const shown = tokenPrices(tariffOf('market', each), level);
        for (const kind of ['cached', 'uncached', 'output'] as const) {
          const exact = times(fraction(each[kind]), dividedBy(whole(level), mix(each)));
          assert.equal(shown[kind], rounded(exact));
        }
      }),
      { seed: 1 },
    );
    assert.deepEqual(tokenPrices(tariffOf('fixed', { cached: '0.1', uncached: '1', output: '4.000000001' }), 7), {
      cached: 100_000_000n,
      uncached: 1_000_000_000n,
      output: 4_000_000_001n,
    });
  });

  test('an id encodes the whole tariff, and equal tariffs share it', () => {
    fc.assert(
      fc.property(fc.constantFrom('market' as const, 'fixed' as const), ratio, (type, each) => {
        const tariff = tariffOf(type, each);
        assert.deepEqual(tariffFromId(tariff.id), tariff);
      }),
      { seed: 1 },
    );
    const id = tariffOf('market', { cached: '0.10', uncached: '1', output: '4.0' }).id;
    assert.equal(id, tariffOf('market', { cached: '0.1', uncached: '1.000', output: '4' }).id);
    assert.notEqual(id, tariffOf('fixed', { cached: '0.1', uncached: '1', output: '4' }).id);
  });

  test('invalid decimals, and a ratio without weight, are refused', () => {
    const part = (cached: string) => () => tariffOf('fixed', { cached, uncached: '1', output: '1' });
    for (const text of ['', '-1', '+1', '1e3', '.5', '1.', ' 1', '0.1234567890', '1234567890', 'NaN']) {
      assert.throws(part(text), RangeError, text);
    }
    assert.throws(() => tariffOf('market', { cached: '0', uncached: '0.000', output: '0' }), RangeError);
    assert.equal(tariffOf('fixed', { cached: '0', uncached: '0', output: '0' }).output, 0n);
    for (const id of ['', 'market:1:2', 'market:1:2:-3', 'spot:1:2:3', ' market:1:2:3']) {
      assert.throws(() => tariffFromId(id), RangeError, id);
    }
  });
});
