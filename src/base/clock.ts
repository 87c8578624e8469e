/**
 * Time. Only this file reads the machine's clock or sets timers; everything else takes a `Clock`. Tests move a
 * `ManualClock` by hand. Times are whole milliseconds, in names that end in `Ms`. There are two kinds: dates, which are
 * stored, shown and compared with dates, such as an expiry; and moments, of which only the distance counts, such as the
 * start of a timeout. A step of the machine's clock moves dates and no moments, so a duration is measured with moments.
 */

/** A timer. `cancel` may be called at any time and more than once. */
export interface Timer {
  cancel(): void;
}

/** The time, and timers. */
export interface Clock {
  /** The date: whole milliseconds since the epoch. Steps when the machine's clock is set. */
  nowMs(): number;
  /** Whole milliseconds since some moment of this process. Never steps; comparable with nothing else. */
  monotonicMs(): number;
  /** Calls `run` once after at least `delayMs` (at most about 24 days), never before this call returns. */
  after(delayMs: number, run: () => void): Timer;
}

/** The real clock. Its timers keep the process alive. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Math.floor(performance.now()),
  after(delayMs, run) {
    const handle = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after at least `ms`. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** What `answer` resolves with; null when that takes longer than `limitMs`. Rejects as it does. */
export async function waitAtMost<Answer>(
  clock: Clock,
  limitMs: number,
  answer: Promise<Answer>,
): Promise<Answer | null> {
  const late = Promise.withResolvers<null>();
  const timer = clock.after(limitMs, () => late.resolve(null));
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    timer.cancel();
  }
}
