/**
 * Things that fall due, all after the same time, in the order in which they were put in. Two columns instead of an
 * object for each, because millions of orders pass through here. Time is an argument.
 */

/** So many that are done stay in the columns before it is worth closing the gap. */
const DONE_MAX = 1024;

/** What falls due `afterMs` after it was put in. */
export class DueQueue<Item> {
  readonly #afterMs: number;
  /** Those before `#first` are done, and null. */
  #items: (Item | null)[] = [];
  #dueMs: number[] = [];
  #first = 0;

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  put(item: Item, nowMs: number): void {
    this.#items.push(item);
    this.#dueMs.push(nowMs + this.#afterMs);
  }

  /** When the next item is due, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    const dueMs = this.#dueMs[this.#first];
    if (dueMs === undefined || (dueMs > nowMs && dueMs <= nowMs + this.#afterMs)) return null;
    // After the clock stepped back, what is due too far in the future is due now.
    return Math.min(dueMs, nowMs);
  }

  /** Takes the next item that is due by `nowMs`; null when there is none. */
  take(nowMs: number): Item | null {
    if (this.dueBy(nowMs) === null) return null;
    const item = this.#items[this.#first] ?? null;
    this.#items[this.#first++] = null;
    if (this.#first > DONE_MAX && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#dueMs = this.#dueMs.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
