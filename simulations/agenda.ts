/** Planned events in order of time; those of one moment in order of planning. */
import { type HeapItem, IndexedHeap, OUTSIDE } from '#base/indexed-heap.ts';

interface Planned extends HeapItem {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Simulated time: it jumps from one planned event to the next. */
export class Agenda {
  readonly #heap = new IndexedHeap<Planned>(isBefore);
  #planned = 0;
  nowMs: number;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /** Plans `run` for `delayMs` from now. */
  after(delayMs: number, run: () => void): void {
    this.#heap.add({ atMs: this.nowMs + delayMs, order: this.#planned++, run, at: OUTSIDE });
  }

  /** Runs everything that is due until `endMs`. */
  runUntil(endMs: number): void {
    for (let { first } = this.#heap; first && first.atMs <= endMs; { first } = this.#heap) {
      this.#heap.delete(first);
      this.nowMs = first.atMs;
      first.run();
    }
    this.nowMs = endMs;
  }
}

function isBefore(one: Planned, two: Planned): boolean {
  return one.atMs < two.atMs || (one.atMs === two.atMs && one.order < two.order);
}
