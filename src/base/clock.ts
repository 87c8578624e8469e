/**
 * Time. The only place that reads the machine's clock or sets a timer; everything else takes a `Clock`.
 * Tests move a `ManualClock` by hand. Times are whole milliseconds since the epoch and end in `Ms`.
 */

/** A timer that was set; `cancel` may be called at any time and more than once. */
export interface Timer {
  cancel(): void;
}

/** The time of day, and a way to be called later. */
export interface Clock {
  /** Whole milliseconds since the epoch. May step back when the machine's clock is set. */
  nowMs(): number;
  /** Calls `run` once after at least `delayMs` (at most about 24 days); never before this call has returned. */
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

interface Alarm {
  readonly dueMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that stands still until it is moved. Timers fire in order of their time, then of their setting. */
export class ManualClock implements Clock {
  #nowMs: number;
  #set = 0;
  readonly #alarms = new Set<Alarm>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const alarm = { dueMs: this.#nowMs + Math.ceil(Math.max(0, delayMs)), order: this.#set++, run };
    this.#alarms.add(alarm);
    return { cancel: () => void this.#alarms.delete(alarm) };
  }

  /**
   * Moves time forward by `ms`, stopping at each timer that falls due, and lets pending input and output run
   * after each, so that what a timer starts is seen by the next one.
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

  /** How many timers are set; a test that ends with some left has leaked them. */
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

/** A few turns of the event loop: enough for promises, and for input that has already arrived. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
