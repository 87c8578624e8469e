/** Searches by halves: a dozen steps for thousands, sixty for any price. */

/**
 * The lowest whole number from 0 that holds; `high` when none below it does. If the condition holds at one value, it
 * must hold at every higher one. The search begins at `near`, if that is from 0 to below `high`, and asks about twice as
 * many numbers as the logarithm of the way from there.
 */
export function lowest(high: number, holds: (number: number) => boolean, near = -1): number {
  let low = 0;
  let holding = high;
  for (let at = near, step = 1; low <= at && at < holding; step *= 2) {
    if (holds(at)) {
      holding = at;
      at -= step;
    } else {
      low = at + 1;
      at += step;
    }
  }
  while (low < holding) {
    const middle = low + Math.floor((holding - low) / 2);
    if (holds(middle)) holding = middle;
    else low = middle + 1;
  }
  return holding;
}
