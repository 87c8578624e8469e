/**
 * Money and prices. An amount is a `bigint` of nano-dollars (`NanoUsd`). A price (level, bid, limit, quote) is a whole
 * number of nano-dollars per 1M input tokens at the reference mix (`PriceNano`). Prices are JS numbers because books
 * compare millions of them; limits go up to 10^9 USD, where a double still holds the quantised value exactly. Nothing
 * here is a fraction: values are rounded once, when read or when a charge is made.
 */
import type { RawNumber } from './exact-json.ts';

/** An amount in nano-dollars. */
export type NanoUsd = bigint;
/** A cent in nano-dollars. */
export const NANO_PER_CENT: NanoUsd = 10_000_000n;

/** A price: whole nano-dollars per 1M input tokens at the reference mix. Always an integer, 0 to 10^18. */
export type PriceNano = number;
/**
 * Dollars for JSON, in plain digits. Below 10^-6 it is a `JSON.rawJSON` object, because `JSON.stringify` would print the
 * number with an exponent (`8e-9`): write it, never compute with it.
 */
export type UsdJson = number | RawNumber;

const NANO = 1e9;
/** In nano-dollars: a smaller number of dollars would have an exponent. */
const EXPONENT_BELOW = 1000;
/** The highest price limit accepted, in USD. Spec 8. */
export const PRICE_LIMIT_USD_MAX = 1_000_000_000;

/** The highest bound of a charge accepted, in USD. */
export const MAX_CHARGE_USD_MAX = 1_000_000;

/** Converts USD, or USD per 1M tokens, to whole nano-dollars, rounded down, reading the number as its shortest decimal form. */
export function priceFromUsd(usd: number): PriceNano {
  const nearest = Math.round(usd * NANO);
  if (nearest / NANO <= usd) return nearest;
  return nearest - 1;
}

/** The JSON number of a price, in USD per 1M tokens. */
export function priceToUsd(price: PriceNano): UsdJson {
  return usdJson(price);
}

/** The same as text, such as `0.25`. */
export function formatPrice(price: PriceNano): string {
  return JSON.stringify(priceToUsd(price));
}

/** The JSON number of an amount, with nine decimals; exact up to nine million dollars. */
export function nanoToUsd(amount: NanoUsd): UsdJson {
  return usdJson(Number(amount));
}

function usdJson(nano: number): UsdJson {
  if (nano === 0 || Math.abs(nano) >= EXPONENT_BELOW) return nano / NANO;
  return JSON.rawJSON(formatUsd(BigInt(nano)));
}

/** Parses a decimal such as `12.5` or `-0.000000001` with at most nine decimals; null for anything else. */
export function parseUsd(text: string): NanoUsd | null {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text);
  if (!match) return null;
  const nano = BigInt(match[2] ?? '0') * 1_000_000_000n + BigInt((match[3] ?? '').padEnd(9, '0'));
  return match[1] === '-' ? -nano : nano;
}

/** Decimal notation with at least two decimals and no trailing zeros after them: `10.00`, `0.000000123`. */
export function formatUsd(amount: NanoUsd): string {
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0{1,7}$/, '');
  return `${sign}${digits.slice(0, -9)}.${fraction}`;
}

/** numerator ÷ denominator, rounded half to even. The denominator must be above 0, the numerator at least 0. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = 2n * (numerator - quotient * denominator);
  if (twice > denominator || (twice === denominator && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}

/** numerator ÷ denominator, rounded up; for holds. */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
