/** Searches by halves: a dozen steps for thousands, sixty for any price. */

/** The lowest whole number from 0 that holds; `high` when none below it does. Whatever is above one that holds must hold. */
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
