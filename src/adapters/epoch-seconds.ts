/** Time as the OpenAI shapes have it. */

/** Whole seconds since the epoch. */
export function epochSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}
