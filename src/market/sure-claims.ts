/**
 * How many claims on slots can be promised when so many starts are expected. Starts come by chance and claims come by
 * chance, so as many claims as starts would be met half of the time. In a large market what is kept back is a few per
 * cent; with eight slots it is most of the starts of a window. docs/decisions/0022.
 */

/**
 * What scatters, each by the square root of the claims: how many come and how many are served, between the reading of a
 * price and the order that relies on it, and again in the window of that order.
 */
const SCATTERS = 4;

/**
 * The largest k with k + z × √(4k) ≤ `starts`, where z is how far chance strays in a share of `promised` of all cases:
 * at most `starts`, and never below 0. `promised` from 0.5, which keeps nothing back, to below 1.
 */
export function sureClaims(starts: number, promised: number): number {
  const half = (strayOf(promised) * Math.sqrt(SCATTERS)) / 2;
  return (Math.sqrt(starts + half * half) - half) ** 2;
}

/** The quantile of the normal distribution, by Tukey's approximation, right to two per cent up to 0.999. */
function strayOf(share: number): number {
  return 4.91 * (share ** 0.14 - (1 - share) ** 0.14);
}
