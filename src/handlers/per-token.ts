/** The price of one token as text: exact, never with an exponent. */
import type { NanoUsd } from '#base/money.ts';

/** Nano-dollars per 1M tokens as USD per token. */
export function perToken(price: NanoUsd): string {
  const digits = price.toString().padStart(16, '0');
  return `${digits.slice(0, -15)}.${digits.slice(-15)}`.replace(/\.?0+$/, '');
}
