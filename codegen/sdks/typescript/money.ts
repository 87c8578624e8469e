/**
 * Exact amounts. On the wire an amount is a JSON number; in a program it is a string, because a double cannot add
 * amounts. It is handwritten and copied into the client as it is: no generator knows such a type.
 */

/** An amount or price in USD as a decimal number, such as `0.000006852`: never rounded, at most nine decimals. */
export type Money = string;

const DECIMALS = 9;
const NANO = 10n ** BigInt(DECIMALS);
/** A double keeps every decimal number of up to 15 digits. */
const DIGITS_MAX = 15;

/** Whole nano-dollars of an amount. Throws RangeError on text that is no amount, and on more than nine decimals. */
export function nanoOf(amount: Money | number): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain(amount)) ?? [];
  const kept = fraction.replace(/0+$/, '');
  if (whole === '' || kept.length > DECIMALS)
    throw new RangeError(`${amount} is not an amount with up to nine decimals.`);
  const nano = BigInt(whole) * NANO + BigInt(kept.padEnd(DECIMALS, '0'));
  return sign ? -nano : nano;
}

/** The amount of whole nano-dollars, in plain digits without trailing zeros. */
export function fromNano(nano: bigint): Money {
  const digits = (nano < 0n ? -nano : nano).toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${nano < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${fraction && `.${fraction}`}`;
}

/** Arithmetic with amounts. */
export const money = {
  /** The exact sum. */
  add: (...amounts: readonly Money[]): Money => fromNano(amounts.reduce((sum, each) => sum + nanoOf(each), 0n)),
  /** The first less the second. */
  subtract: (from: Money, amount: Money): Money => fromNano(nanoOf(from) - nanoOf(amount)),
  /** Below 0 when the first is less, above 0 when it is more. */
  compare: (one: Money, other: Money): number => Number(nanoOf(one) - nanoOf(other)),
  /** With a fixed number of decimals, rounded half up, such as `1.50`. */
  format: (amount: Money, decimals = 2): string => {
    const unit = 10n ** BigInt(DECIMALS - decimals);
    const nano = nanoOf(amount);
    const rounded = (((nano < 0n ? -nano : nano) + unit / 2n) / unit) * unit;
    const [whole = '', fraction = ''] = fromNano(nano < 0n ? -rounded : rounded).split('.');
    return decimals > 0 ? `${whole}.${fraction.padEnd(decimals, '0')}` : whole;
  },
};

/** The amount that a number of a response stands for; null and undefined stay. */
export function fromNumber(json: unknown): Money {
  return (typeof json === 'number' ? plain(json) : json) as Money;
}

/** The number to send. Throws RangeError where the number would not be the amount. */
export function toNumber(amount: Money | number | null | undefined): unknown {
  if (typeof amount !== 'string') return amount;
  const text = plain(amount);
  if (text.replace(/\D/g, '').replace(/^0+/, '').length > DIGITS_MAX || !/^-?\d+(\.\d+)?$/.test(text))
    throw new RangeError(`${amount} is not an amount with at most ${DIGITS_MAX} digits.`);
  return Number(text);
}

/** Without an exponent. Numbers of the gateway have at most nine decimals, and numbers below 1e-6 print with one. */
function plain(amount: Money | number): string {
  const text = String(amount);
  return typeof amount === 'number' && text.includes('e') ? amount.toFixed(DECIMALS) : text;
}
