/** When something that falls due after a fixed time does, on a clock that may step back. */

/**
 * `dueMs` if that is by `nowMs`, else null; undefined for nothing. It was `afterMs` after the time of then: what is due
 * further ahead than that was put in before the clock stepped back, and is due now.
 */
export function dueBy(nowMs: number, dueMs: number | undefined, afterMs: number): number | null {
  if (dueMs === undefined || (dueMs > nowMs && dueMs <= nowMs + afterMs)) return null;
  return Math.min(dueMs, nowMs);
}
