/**
 * A receipt, computed again by the browser. This is a second implementation on purpose: it shares no line with the one
 * that charged (src/ledger/tariff.ts), so that a mistake in either is seen. docs/buy/receipts.md has the same steps in words.
 */

import { moneyWholeText } from '../format.ts';

/** A count, weight or price of each kind of token. */
export interface ByKind {
  readonly cached: number;
  readonly uncached: number;
  readonly output: number;
}

/** What an order was charged by. The price is the lower of level and bid. */
export type ChargedBy =
  | { readonly pricing: 'market'; readonly price: number; readonly ratio: ByKind }
  | { readonly pricing: 'fixed'; readonly prices: ByKind };

/** 10^-9 USD. */
type Nano = bigint;

const MILLION = 1_000_000n;
/** The reference mix, 0.9 cached, 0.1 not cached and 0.02 output. */
const FIFTIETHS: ByKind = { cached: 45, uncached: 5, output: 1 };
const NAMES = { cached: 'cached input', uncached: 'input', output: 'output' } as const;
const figures = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });

/** What the tokens cost, rounded once, half to even, to whole nano-dollars. */
export function recomputedNano(terms: ChargedBy, tokens: ByKind): Nano {
  if (terms.pricing === 'fixed') return halfEven(weighed(terms.prices, tokens), MILLION);
  const mix = weighed(terms.ratio, FIFTIETHS);
  return halfEven(nano(terms.price) * weighed(terms.ratio, tokens) * 50n, mix * MILLION);
}

/** The same as a line that a reader can follow: price × weighed tokens ÷ weighed mix ÷ a million, or counts × prices. */
export function stepsOf(terms: ChargedBy, tokens: ByKind): string {
  const text = (amount: Nano) => figures.format(dollars(amount));
  if (terms.pricing === 'fixed') return `${text(weighed(terms.prices, tokens))} ÷ 1,000,000`;
  const mix = figures.format(dollars(weighed(terms.ratio, FIFTIETHS)) / 50);
  return `${figures.format(terms.price)} × ${text(weighed(terms.ratio, tokens))} ÷ ${mix} ÷ 1,000,000`;
}

/** What 1M tokens of each kind cost. */
export function pricesOf(terms: ChargedBy): ByKind {
  if (terms.pricing === 'fixed') return terms.prices;
  const { price, ratio } = terms;
  const mix = dollars(weighed(ratio, FIFTIETHS)) / 50;
  const of = (weight: number) => (price * weight) / mix;
  return { cached: of(ratio.cached), uncached: of(ratio.uncached), output: of(ratio.output) };
}

/** The charge as counts × prices, for readers: `(17 input tokens × $0.037037037 + …) ÷ 1,000,000 = $0.000006852`. */
export function costLine(terms: ChargedBy, tokens: ByKind): string {
  const prices = pricesOf(terms);
  const parts = (['cached', 'uncached', 'output'] as const)
    .filter((kind) => tokens[kind] > 0)
    .map((kind) => `${figures.format(tokens[kind])} ${NAMES[kind]} tokens × $${figures.format(prices[kind])}`);
  const sum = parts.length === 1 ? parts[0] : `(${parts.join(' + ') || 0})`;
  return `${sum} ÷ 1,000,000 = ${moneyWholeText(dollars(recomputedNano(terms, tokens)))}`;
}

/** Dollars as whole nano-dollars: `toFixed` prints the digits of the number itself, which no multiplication does. */
export function nano(usd: number): Nano {
  return BigInt(usd.toFixed(9).replace('.', ''));
}

/** Nano-dollars as dollars, for people. */
export function dollars(amount: Nano): number {
  return Number(amount) / 1e9;
}

function weighed(weights: ByKind, tokens: ByKind): bigint {
  const kinds = ['cached', 'uncached', 'output'] as const;
  return kinds.reduce((sum, kind) => sum + nano(weights[kind]) * BigInt(tokens[kind]), 0n);
}

function halfEven(numerator: bigint, denominator: bigint): bigint {
  const below = numerator / denominator;
  const rest = 2n * (numerator % denominator);
  const up = rest > denominator || (rest === denominator && below % 2n === 1n);
  return up ? below + 1n : below;
}
