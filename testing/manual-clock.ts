/** Time that tests move by hand. */
import type { Clock, Timer } from '#base/clock.ts';

interface Alarm {
  readonly dueMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that stands still until it is moved. Timers fire in order of their time, then of when they were set. */
export class ManualClock implements Clock {
  /** Since the clock was made. */
  #monotonicMs = 0;
  /** The date at which it was made; a step changes it. */
  #startMs: number;
  #nextOrder = 0;
  readonly #alarms = new Set<Alarm>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#startMs = startMs;
  }

  nowMs(): number {
    return this.#startMs + this.#monotonicMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** The machine's clock is set: the date changes by `ms`, and no time passes. */
  step(ms: number): void {
    this.#startMs += ms;
  }

  after(delayMs: number, run: () => void): Timer {
    const alarm = { dueMs: this.#monotonicMs + Math.ceil(Math.max(0, delayMs)), order: this.#nextOrder++, run };
    this.#alarms.add(alarm);
    return { cancel: () => void this.#alarms.delete(alarm) };
  }

  /**
   * Moves time forward by `ms`, stopping at each timer that is due. Pending input and output run after each timer, so
   * that the next one sees their effects.
   */
  async advance(ms: number): Promise<void> {
    const endMs = this.#monotonicMs + ms;
    await settle();
    for (let alarm = this.#next(endMs); alarm; alarm = this.#next(endMs)) {
      this.#alarms.delete(alarm);
      this.#monotonicMs = Math.max(this.#monotonicMs, alarm.dueMs);
      alarm.run();
      await settle();
    }
    this.#monotonicMs = endMs;
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
