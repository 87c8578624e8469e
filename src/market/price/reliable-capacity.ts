/**
 * How many claims on slots can be promised for a number of expected starts. Both starts and claims are random, so if as
 * many claims as expected starts were promised, half of the promises would fail. A large market keeps back a few per
 * cent; one with eight slots most of the starts of a window. docs/decisions/0022.
 */

/**
 * The number of independent variances, each equal to the number of claims: of orders that arrive and of orders that are
 * served, both between reading a price and the order that relies on it, and in the window of that order.
 */
const VARIANCES = 4;

/**
 * The largest k with k + z × √(4k) ≤ `starts`, where z is the normal quantile of `promised`. It is between 0 and
 * `starts`. `promised` is the share of promises to keep, from 0.5, which keeps nothing back, to below 1.
 */
export function reliableCapacity(starts: number, promised: number): number {
  const half = (normalQuantile(promised) * Math.sqrt(VARIANCES)) / 2;
  return (Math.sqrt(starts + half * half) - half) ** 2;
}

/** The quantile of the normal distribution by Tukey's approximation, accurate to 2 % up to 0.999. */
export function normalQuantile(share: number): number {
  return 4.91 * (share ** 0.14 - (1 - share) ** 0.14);
}
