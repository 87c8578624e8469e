/** One time for several processes of a test, each of which can stand still or end by itself. */
import type { Clock, Timer } from '#base/clock.ts';

/** Time that is moved by hand; everything that was started by a timer has run before the next one. */
export class SharedTime {
  #nowMs = Date.UTC(2026, 0, 1);
  #alarms: { dueMs: number; order: number; run: (() => void) | null }[] = [];
  #set = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const alarm = {
      dueMs: this.#nowMs + Math.ceil(Math.max(0, delayMs)),
      order: this.#set++,
      run: run as null | typeof run,
    };
    let at = this.#alarms.length;
    while (at > 0 && (this.#alarms[at - 1]?.dueMs ?? 0) > alarm.dueMs) at--;
    this.#alarms.splice(at, 0, alarm);
    return {
      cancel: () => {
        alarm.run = null;
      },
    };
  }

  /** Moves on by `ms`; `looked` is called after each timer and what followed from it. */
  async pass(ms: number, looked: () => void): Promise<void> {
    const endMs = this.#nowMs + Math.ceil(ms);
    for (let first = this.#alarms[0]; first && first.dueMs <= endMs; first = this.#alarms[0]) {
      this.#alarms.shift();
      if (!first.run) continue;
      this.#nowMs = first.dueMs;
      first.run();
      await new Promise((resolve) => setImmediate(resolve));
      looked();
    }
    this.#nowMs = endMs;
  }
}

/** The time of one process. */
export class ProcessTime implements Clock {
  readonly #time: SharedTime;
  /** What would have happened while it stood still. */
  readonly #waiting: (() => void)[] = [];
  #paused = false;
  #ended = false;

  constructor(time: SharedTime) {
    this.#time = time;
  }

  get paused(): boolean {
    return this.#paused;
  }

  nowMs(): number {
    return this.#time.nowMs;
  }

  monotonicMs(): number {
    return this.#time.nowMs;
  }

  after(delayMs: number, run: () => void): Timer {
    let isCanceled = false;
    const timer = this.#time.after(delayMs, () => this.turn(() => !isCanceled && run()));
    return {
      cancel() {
        isCanceled = true;
        timer.cancel();
      },
    };
  }

  /** Runs something in a turn of this process: later when it stands still, never when it has ended. */
  turn(run: () => void): void {
    if (this.#ended) return;
    if (this.#paused || this.#waiting.length > 0) this.#waiting.push(run);
    else run();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#time.after(0, () => this.#catchUp());
  }

  end(): void {
    this.#ended = true;
  }

  #catchUp(): void {
    if (this.#paused || this.#ended) return;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#time.after(0, () => this.#catchUp());
  }
}
