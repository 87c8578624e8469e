/** Durations in milliseconds. For points in time and timers see clock.ts. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Whole seconds since the epoch, as the OpenAI shapes have it. */
export function epochSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}

/** A moment as JSON shows it: ISO 8601 in UTC, with milliseconds. */
export function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The same; null for a moment that has not come. */
export function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : iso(epochMs);
}
