/**
 * Bids that are too young to count, in the order in which they came, which is the one in which they come of age. They
 * are numbered from 0, so that a number alone says whether a bid is old enough: most bids of a crowd come of age and count
 * as little as before, and nothing is written to them then. Time is an argument.
 */
import type { PriceNano } from '#base/money.ts';

/** The numbers that are kept of a bid: when it comes of age, and its price. */
const WIDTH = 2;
/** In place of a price: the item must be read. */
const TO_READ = Number.NaN;
/** So many that are done stay in the columns before it is worth closing the gap. */
const DONE_MAX = 1024;

/** `dueBy` and `advanceTo` must be called before anything else at a later time. */
export class YoungBids<Item> {
  readonly #afterMs: number;
  /** Null for what is gone. */
  #items: (Item | null)[] = [];
  #figures: number[] = [];
  /** Those before are of age. */
  #first = 0;
  /** How many are no longer in the columns. */
  #gone = 0;

  /** Bids come of age after this time. */
  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  /** The number of the first that is not of age. */
  get firstYoung(): number {
    return this.#gone + this.#first;
  }

  /** A bid of this price came. Returns its number. */
  put(item: Item, price: PriceNano, nowMs: number): number {
    this.#items.push(item);
    this.#figures.push(nowMs + this.#afterMs, price);
    return this.#gone + this.#items.length - 1;
  }

  /** Another bid of an item that came before: it is handed on when it comes of age, whatever the price. */
  putAgain(item: Item, nowMs: number): void {
    this.put(item, TO_READ, nowMs);
  }

  /** Puts in a time, without a bid, at which `dueBy` stops as it would for one. */
  pass(nowMs: number): void {
    const dueMs = nowMs + this.#afterMs;
    if (this.#first < this.#items.length && this.#figures.at(-WIDTH) === dueMs) return;
    this.#items.push(null);
    this.#figures.push(dueMs, TO_READ);
  }

  /** The young bid of this number is gone. */
  drop(number: number): void {
    this.#items[number - this.#gone] = null;
  }

  /** The young bid of this number is another one now: it is handed on when it comes of age, whatever the price. */
  change(number: number): void {
    this.#figures[(number - this.#gone) * WIDTH + 1] = TO_READ;
  }

  /** When the next one comes of age, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    return dueBy(nowMs, this.#figures[this.#first * WIDTH], this.#afterMs);
  }

  /**
   * Lets come of age what does by `nowMs`, in order, and hands on those whose price is not below the limit of the
   * item: to the others nothing is done.
   */
  advanceTo(nowMs: number, limitOf: (item: Item) => PriceNano, handle: (item: Item) => void): void {
    while (this.dueBy(nowMs) !== null) {
      const at = this.#first++;
      const item = this.#items[at] ?? null;
      if (item === null) continue;
      this.#items[at] = null;
      const isBelow = (this.#figures[at * WIDTH + 1] ?? TO_READ) < limitOf(item);
      if (!isBelow) handle(item);
    }
    this.#close();
  }

  #close(): void {
    if (this.#first <= DONE_MAX || this.#first * 2 <= this.#items.length) return;
    this.#items = this.#items.slice(this.#first);
    this.#figures = this.#figures.slice(this.#first * WIDTH);
    this.#gone += this.#first;
    this.#first = 0;
  }
}

/**
 * `dueMs` if that is by `nowMs`, else null; undefined for nothing. It was `afterMs` after the time of then: what is due
 * further ahead than that was put in before the clock stepped back, and is due now.
 */
export function dueBy(nowMs: number, dueMs: number | undefined, afterMs: number): number | null {
  if (dueMs === undefined || (dueMs > nowMs && dueMs <= nowMs + afterMs)) return null;
  return Math.min(dueMs, nowMs);
}
