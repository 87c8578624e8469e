/** Planned events in order of time; those of one moment in order of planning. A binary heap. */

interface Planned {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Simulated time: it jumps from one planned event to the next. */
export class Agenda {
  readonly #heap: Planned[] = [];
  #planned = 0;
  nowMs: number;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /** Plans `run` for `delayMs` from now. */
  after(delayMs: number, run: () => void): void {
    const heap = this.#heap;
    const planned = { atMs: this.nowMs + delayMs, order: this.#planned++, run };
    let at = heap.push(planned) - 1;
    for (;;) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (at === 0 || !parent || isBefore(parent, planned)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = planned;
  }

  /** Runs everything that is due until `endMs`. */
  runUntil(endMs: number): void {
    for (let first = this.#heap[0]; first && first.atMs <= endMs; first = this.#heap[0]) {
      this.#pop();
      this.nowMs = first.atMs;
      first.run();
    }
    this.nowMs = endMs;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      const [left, right] = [heap[below], heap[below + 1]];
      if (left && right && isBefore(right, left)) below++;
      const child = heap[below];
      if (!child || isBefore(last, child)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
  }
}

function isBefore(one: Planned, two: Planned): boolean {
  return one.atMs < two.atMs || (one.atMs === two.atMs && one.order < two.order);
}
