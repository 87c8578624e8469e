/** Ten steps in a decade, a fifth to a quarter apart: numbers on it are told without telling small differences. */

/** From 1 to below 10. */
export const DECADE: readonly number[] = [1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.4, 8];

/** The next number of the grid that is not below `value`; 0 stays 0. */
export function upTheDecade(value: number): number {
  if (value <= 0) return 0;
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = DECADE.find((factor) => factor * unit >= value) ?? 10;
  return Number((step * unit).toPrecision(3));
}
