/**
 * Things that fall due, all after the same time, in the order in which they were put in. Two columns instead of an
 * object for each, because millions of orders pass through here. Time is an argument.
 */

/** So many that are done stay in the columns before it is worth closing the gap. */
const DONE_MAX = 1024;

/** What falls due `afterMs` after it was put in. */
export class DueQueue<Item> {
  readonly #afterMs: number;
  /** Null for what passed. Those before `#first` are done. */
  #items: (Item | null)[] = [];
  #dueMs: number[] = [];
  #first = 0;

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  /** Puts an item in. */
  put(item: Item, nowMs: number): void {
    this.#dueMs.push(nowMs + this.#afterMs);
    this.#items.push(item);
  }

  /** Puts nothing in that falls due like an item. */
  pass(nowMs: number): void {
    const dueMs = nowMs + this.#afterMs;
    if (this.#first < this.#dueMs.length && this.#dueMs.at(-1) === dueMs) return;
    this.#dueMs.push(dueMs);
    this.#items.push(null);
  }

  /** When the next item is due, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    return dueBy(nowMs, this.#dueMs[this.#first], this.#afterMs);
  }

  /** Hands on the items that are due by `nowMs`, in order. */
  advanceTo(nowMs: number, handle: (item: Item) => void): void {
    while (this.dueBy(nowMs) !== null) {
      const item = this.#items[this.#first] ?? null;
      this.#items[this.#first++] = null;
      if (item !== null) handle(item);
    }
    if (this.#first <= DONE_MAX || this.#first * 2 <= this.#items.length) return;
    this.#items = this.#items.slice(this.#first);
    this.#dueMs = this.#dueMs.slice(this.#first);
    this.#first = 0;
  }
}

/** `dueMs` if that is by `nowMs`, else null; undefined for nothing. It was `afterMs` after the time of then. */
export function dueBy(nowMs: number, dueMs: number | undefined, afterMs: number): number | null {
  if (dueMs === undefined || (dueMs > nowMs && dueMs <= nowMs + afterMs)) return null;
  // After the clock stepped back, what is due too far in the future is due now.
  return Math.min(dueMs, nowMs);
}
