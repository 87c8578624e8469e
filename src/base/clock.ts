/**
 * Time. Only this file reads the machine's clock or sets timers; everything else takes a `Clock`. Tests move a
 * `ManualClock` by hand. Times are whole milliseconds since the epoch, in names that end in `Ms`.
 */

/** A timer. `cancel` may be called at any time and more than once. */
export interface Timer {
  cancel(): void;
}

/** The time, and timers. */
export interface Clock {
  /** Whole milliseconds since the epoch. Can step back when the machine's clock is set. */
  nowMs(): number;
  /** Calls `run` once after at least `delayMs` (at most about 24 days), never before this call returns. */
  after(delayMs: number, run: () => void): Timer;
}

/** The real clock. Its timers keep the process alive. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
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

interface Alarm {
  readonly dueMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that stands still until it is moved. Timers fire in order of their time, then of when they were set. */
export class ManualClock implements Clock {
  #nowMs: number;
  #nextOrder = 0;
  readonly #alarms = new Set<Alarm>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const alarm = { dueMs: this.#nowMs + Math.ceil(Math.max(0, delayMs)), order: this.#nextOrder++, run };
    this.#alarms.add(alarm);
    return { cancel: () => void this.#alarms.delete(alarm) };
  }

  /**
   * Moves time forward by `ms`, stopping at each timer that is due. Pending input and output run after each timer, so
   * that the next one sees their effects.
   */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settle();
    for (let alarm = this.#next(endMs); alarm; alarm = this.#next(endMs)) {
      this.#alarms.delete(alarm);
      this.#nowMs = Math.max(this.#nowMs, alarm.dueMs);
      alarm.run();
      await settle();
    }
    this.#nowMs = endMs;
    await settle();
  }

  /** The number of timers set; a test that ends with any has leaked them. */
  get pending(): number {
    return this.#alarms.size;
  }

  #next(endMs: number): Alarm | null {
    let first: Alarm | null = null;
    for (const alarm of this.#alarms) {
      if (alarm.dueMs > endMs) continue;
      if (!first || alarm.dueMs < first.dueMs || (alarm.dueMs === first.dueMs && alarm.order < first.order))
        first = alarm;
    }
    return first;
  }
}

/** Waits a few turns of the event loop: enough for promises and for input that has already arrived. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
