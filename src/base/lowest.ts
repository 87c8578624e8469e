/** Searches by halves: a dozen steps for thousands, sixty for any price. */

/**
 * The lowest whole number from 0 that holds; `high` when none below it does. If the condition holds at one value, it
 * must hold at every higher one.
 */
export function lowest(high: number, holds: (number: number) => boolean): number {
  let low = 0;
  let holding = high;
  while (low < holding) {
    const middle = low + Math.floor((holding - low) / 2);
    if (holds(middle)) holding = middle;
    else low = middle + 1;
  }
  return holding;
}
