/**
 * Simulated time for whole clusters: a heap of timers. Between two of them only promises run, all of them, without a
 * turn of the event loop, so a million timers take seconds.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { type HeapItem, IndexedHeap, OUTSIDE } from '#base/indexed-heap.ts';

interface Alarm extends HeapItem {
  readonly dueMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that is moved by `pass`. Timers fire in order of their time, then of when they were set. */
export class SimulatedTime implements Clock {
  #nowMs = Date.UTC(2026, 0, 1);
  #set = 0;
  #fired = 0;
  /** Called after each timer, and after what followed from it. */
  onStep: () => void = () => {};
  readonly #heap = new IndexedHeap<Alarm>(isBefore);

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
    const dueMs = this.#nowMs + Math.ceil(Math.max(0, delayMs));
    const alarm = { dueMs, order: this.#set++, run, at: OUTSIDE };
    this.#heap.add(alarm);
    return { cancel: () => this.#heap.delete(alarm) };
  }

  /** Moves on by `ms`. What follows from a timer has happened before the next one fires. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + Math.ceil(ms);
    await everythingElse();
    for (let { first } = this.#heap; first && first.dueMs <= endMs; { first } = this.#heap) {
      this.#heap.delete(first);
      this.#nowMs = first.dueMs;
      this.#fired++;
      first.run();
      await everythingElse();
      this.onStep();
    }
    this.#nowMs = endMs;
  }
}

function isBefore(one: Alarm, other: Alarm): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

/** Resolves when no promise has anything left to run: that is when Node.js looks at its ticks. */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
