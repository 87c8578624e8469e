/**
 * Simulated time for whole clusters: a heap of timers. Between two of them only promises run, all of them, without a
 * turn of the event loop, so a million timers take seconds.
 */
import type { Clock, Timer } from '#base/clock.ts';

interface Alarm {
  readonly dueMs: number;
  readonly order: number;
  run: (() => void) | null;
}

/** A clock that is moved by `pass`. Timers fire in order of their time, then of when they were set. */
export class SimulatedTime implements Clock {
  #nowMs = Date.UTC(2026, 0, 1);
  #set = 0;
  #fired = 0;
  readonly #heap: Alarm[] = [];

  /** How many timers have fired. */
  get fired(): number {
    return this.#fired;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const alarm: Alarm = { dueMs: this.#nowMs + Math.ceil(Math.max(0, delayMs)), order: this.#set++, run };
    this.#push(alarm);
    return {
      cancel() {
        alarm.run = null;
      },
    };
  }

  /** Moves on by `ms`. What follows from a timer has happened before the next one fires. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + Math.ceil(ms);
    await everythingElse();
    for (let first = this.#heap[0]; first && first.dueMs <= endMs; first = this.#heap[0]) {
      this.#pop();
      if (!first.run) continue;
      this.#nowMs = first.dueMs;
      this.#fired++;
      first.run();
      await everythingElse();
    }
    this.#nowMs = endMs;
  }

  #push(alarm: Alarm): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (!above || isBefore(above, alarm)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = alarm;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      let least = heap[child] as Alarm;
      const other = heap[child + 1];
      if (other && isBefore(other, least)) {
        least = other;
        child++;
      }
      if (isBefore(last, least)) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Alarm, other: Alarm): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

/** Resolves when no promise has anything left to run: that is when Node.js looks at its ticks. */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
