/**
 * A tariff converts a price and token counts into money. It is immutable and stored with each order by id, so that a
 * charge can always be recomputed. All arithmetic is exact: weights are scaled integers parsed from decimal strings,
 * and an order is rounded once, half to even, here. Spec 1.3, 1.4; docs/understand/lifecycle.md.
 */
import { divideHalfEven, divideUp, type NanoUsd, type PriceNano } from '#base/money.ts';

/** Token counts by kind. 0 is a count, never "absent". */
export interface Tokens {
  readonly uncached: number;
  readonly cached: number;
  readonly output: number;
}

/** Weights of the three token kinds as integers over 10^9 (market), or prices in nano-dollars per 1M tokens (fixed). */
export interface Tariff {
  /** Encodes the content: tariffs with the same id are equal. */
  readonly id: string;
  readonly type: 'market' | 'fixed';
  readonly cached: bigint;
  readonly uncached: bigint;
  readonly output: bigint;
}

/** The reference mix: 0.9 cached, 0.1 uncached, 0.02 output per input token; below in fiftieths. Spec 1.4. */
export const REFERENCE_MIX = { cachedShare: 0.9, uncachedShare: 0.1, outputPerInput: 0.02 } as const;
const FIFTIETHS = { cached: 45n, uncached: 5n, output: 1n };
const TOKENS_PER_PRICE = 1_000_000n;

/** The tariff with these weights or prices, each a decimal string with at most nine decimals. Throws RangeError. */
export function tariffOf(type: Tariff['type'], parts: { cached: string; uncached: string; output: string }): Tariff {
  const read = (text: string): bigint => {
    const match = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text);
    if (!match) throw new RangeError(`${text} is not a decimal with at most nine decimals`);
    return BigInt(match[1] ?? '0') * 1_000_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
  };
  const tariff = { type, cached: read(parts.cached), uncached: read(parts.uncached), output: read(parts.output) };
  if (type === 'market' && mixOf(tariff) === 0n) throw new RangeError('a pricing ratio needs a weight above 0');
  return { id: `${type}:${tariff.cached}:${tariff.uncached}:${tariff.output}`, ...tariff };
}

/** The tariff with this id. Throws RangeError for an id that `tariffOf` did not create. */
export function tariffFromId(id: string): Tariff {
  const match = /^(market|fixed):(\d+):(\d+):(\d+)$/.exec(id);
  if (!match) throw new RangeError(`${id} is not a tariff id`);
  const [, type, cached, uncached, output] = match;
  return {
    id,
    type: type === 'fixed' ? 'fixed' : 'market',
    cached: BigInt(cached ?? 0),
    uncached: BigInt(uncached ?? 0),
    output: BigInt(output ?? 0),
  };
}

/** The price of a fixed tariff at the reference mix, in the unit of a price limit, rounded half to even. */
export function priceAtMix(tariff: Tariff): PriceNano {
  return Number(divideHalfEven(mixOf(tariff), 50n));
}

/** The cost of `tokens` at `price` (ignored for a fixed tariff), rounded once, half to even. */
export function chargeOf(tariff: Tariff, price: PriceNano, tokens: Tokens): NanoUsd {
  const { numerator, denominator } = exactCost(tariff, price, tokens);
  return divideHalfEven(numerator, denominator);
}

/** The same, rounded up, for holds. */
export function worstCaseOf(tariff: Tariff, price: PriceNano, tokens: Tokens): NanoUsd {
  const { numerator, denominator } = exactCost(tariff, price, tokens);
  return divideUp(numerator, denominator);
}

/**
 * The most output tokens that `amount` pays besides `uncached` input tokens, worst case: `worstCaseOf` of both is at most
 * `amount`. At most `most`; 0 where not even one fits, -1 where the input alone does not.
 */
export function outputWithin(
  tariff: Tariff,
  price: PriceNano,
  { uncached, amount, most }: { readonly uncached: number; readonly amount: NanoUsd; readonly most: number },
): number {
  const input = exactCost(tariff, price, { uncached, cached: 0, output: 0 });
  const rest = amount * input.denominator - input.numerator;
  if (rest < 0n) return -1;
  const each = exactCost(tariff, price, { uncached: 0, cached: 0, output: 1 }).numerator;
  return each === 0n || rest / each >= BigInt(most) ? most : Number(rest / each);
}

/** The three prices at `price`, nano-dollars per 1M tokens, rounded half to even: for display, never for charging. */
export function tokenPrices(tariff: Tariff, price: PriceNano): { cached: NanoUsd; uncached: NanoUsd; output: NanoUsd } {
  if (tariff.type === 'fixed') return { cached: tariff.cached, uncached: tariff.uncached, output: tariff.output };
  const each = (weight: bigint) => divideHalfEven(BigInt(price) * weight * 50n, mixOf(tariff));
  return { cached: each(tariff.cached), uncached: each(tariff.uncached), output: each(tariff.output) };
}

function exactCost(tariff: Tariff, price: PriceNano, tokens: Tokens): { numerator: bigint; denominator: bigint } {
  const weighted =
    BigInt(tokens.cached) * tariff.cached +
    BigInt(tokens.uncached) * tariff.uncached +
    BigInt(tokens.output) * tariff.output;
  if (tariff.type === 'fixed') return { numerator: weighted, denominator: TOKENS_PER_PRICE };
  return { numerator: weighted * BigInt(price) * 50n, denominator: mixOf(tariff) * TOKENS_PER_PRICE };
}

/** Fifty times the weighted mean of the three parts at the reference mix. */
function mixOf(parts: Pick<Tariff, 'cached' | 'uncached' | 'output'>): bigint {
  return FIFTIETHS.cached * parts.cached + FIFTIETHS.uncached * parts.uncached + FIFTIETHS.output * parts.output;
}
