/**
 * The orders of one account that do not execute, each at a place of its own, with its spare bid: the one by which it
 * would count, once it is of age, if its account spoke for one more. The best spare bids are looked for only then, so they
 * are in no order, and one that comes of age stays as it is. They are in a column: the orders are scattered over memory,
 * and a search reads none of them.
 */
import type { PriceNano } from '#base/money.ts';

/** The numbers of a spare bid: its price, the seq of its order then, and its number among the bids that are too young. */
const WIDTH = 3;
/** In place of the price where there is none: lower than any. */
const NONE = -1;
/** In place of a number, and lower than any: the bid is not, and was not, among those of `YoungBids`. */
export const NO_NUMBER = -1;
/** The place of an item that is in no list. */
export const NO_PLACE = -1;
/** So many places may be free before it is worth closing the gaps, if that is most of them. */
const FREE_MAX = 64;
/** The best are found one by one up to so many, and by sorting all from there on. */
const ONE_BY_ONE_MAX = 16;

/** An item that can be in one list at a time. */
export interface QueuedItem {
  /** Set by the list; `NO_PLACE` outside. */
  place: number;
}

/** A spare bid. */
export interface SpareBid {
  readonly price: PriceNano;
  readonly seq: number;
  /** Its number in `YoungBids`; absent for one that is of age. */
  readonly number?: number;
}

/** A list from which any item can be removed at once. */
export class QueuedOrders<Item extends QueuedItem> {
  /** Null at a place that is free; the last is not. */
  readonly #items: (Item | null)[] = [];
  readonly #spare: number[] = [];
  /** The free places, and some that are beyond the last by now. */
  readonly #free: number[] = [];

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** Adds an item that is in no list, without a spare bid. */
  add(item: Item): void {
    const place = this.#freePlace();
    this.#items[place] = item;
    item.place = place;
    this.#write(place, NONE, 0, NO_NUMBER);
  }

  /** Removes an item that is in this list or in none. */
  delete(item: Item): void {
    const { place } = item;
    if (place === NO_PLACE) return;
    item.place = NO_PLACE;
    this.#items[place] = null;
    this.#spare[place * WIDTH] = NONE;
    if (place < this.#items.length - 1) this.#free.push(place);
    else this.#shorten();
    if (this.#free.length > FREE_MAX && this.#free.length * 4 > this.#items.length * 3) this.#close();
  }

  /** Sets the spare bid of an item that is in this list. */
  setSpare({ place }: Item, { price, seq, number = NO_NUMBER }: SpareBid): void {
    this.#write(place, price, seq, number);
  }

  /** An item that is in this list has no spare bid. */
  clearSpare({ place }: Item): void {
    this.#write(place, NONE, 0, NO_NUMBER);
  }

  /** Whether an item that is in this list has a spare bid. */
  hasSpare({ place }: Item): boolean {
    return this.#spare[place * WIDTH] !== NONE;
  }

  /** The seq of the spare bid of an item. */
  spareSeq({ place }: Item): number {
    return this.#spare[place * WIDTH + 1] ?? 0;
  }

  /** The number in `YoungBids` of the spare bid of an item, also after it came of age; `NO_NUMBER` for none. */
  spareNumber({ place }: Item): number {
    return this.#spare[place * WIDTH + 2] ?? NO_NUMBER;
  }

  /**
   * The items with the best spare bids, at most `count` of them, from 1, the best first: by price, then by seq. Bids
   * numbered `firstYoung` or higher are too young. It reads every place, which takes some 10 µs for 7,000, and 250 where
   * the bids rise with the places.
   */
  bestSpares(count: number, firstYoung: number): Item[] {
    const best = count > ONE_BY_ONE_MAX ? this.#bestSorted(count, firstYoung) : this.#bestOneByOne(count, firstYoung);
    return best.flatMap((at) => this.#items[at / WIDTH] ?? []);
  }

  /** Where the best spare bids are in the column. */
  #bestOneByOne(count: number, firstYoung: number): number[] {
    const spare = this.#spare;
    const best: number[] = [];
    // What is no better than the last of as many as wanted need not be compared with the others.
    let [lowPrice, lowSeq] = [NONE, Number.NEGATIVE_INFINITY];
    for (let at = 0; at < spare.length; at += WIDTH) {
      const price = spare[at] ?? NONE;
      if (price < lowPrice || (price === lowPrice && (spare[at + 1] ?? 0) > lowSeq)) continue;
      if (price === NONE || (spare[at + 2] ?? NO_NUMBER) >= firstYoung) continue;
      let place = Math.min(best.length, count - 1);
      for (; place > 0 && this.#standsBefore(at, best[place - 1] ?? at); place--) best[place] = best[place - 1] ?? at;
      best[place] = at;
      if (best.length < count) continue;
      const last = best[count - 1] ?? at;
      [lowPrice, lowSeq] = [spare[last] ?? NONE, spare[last + 1] ?? 0];
    }
    return best;
  }

  #bestSorted(count: number, firstYoung: number): number[] {
    const spare = this.#spare;
    const all: number[] = [];
    for (let at = 0; at < spare.length; at += WIDTH)
      if (spare[at] !== NONE && (spare[at + 2] ?? NO_NUMBER) < firstYoung) all.push(at);
    return all.sort((one, two) => (this.#standsBefore(one, two) ? -1 : 1)).slice(0, count);
  }

  /** Whether one spare bid is better than another, by where they are in the column. */
  #standsBefore(one: number, two: number): boolean {
    const spare = this.#spare;
    const price = spare[one] ?? NONE;
    const other = spare[two] ?? NONE;
    return price > other || (price === other && (spare[one + 1] ?? 0) < (spare[two + 1] ?? 0));
  }

  #freePlace(): number {
    const { length } = this.#items;
    for (let place = this.#free.pop(); place !== undefined; place = this.#free.pop()) if (place < length) return place;
    return length;
  }

  /** Ends the list with the last item. */
  #shorten(): void {
    let { length } = this.#items;
    while (length > 0 && this.#items[length - 1] === null) length--;
    this.#items.length = length;
    this.#spare.length = length * WIDTH;
    if (length === 0) this.#free.length = 0;
  }

  /** Gives the items the first places. */
  #close(): void {
    const spare = this.#spare;
    let place = 0;
    for (const [before, item] of this.#items.entries()) {
      if (!item) continue;
      this.#items[place] = item;
      item.place = place;
      for (let at = 0; at < WIDTH; at++) spare[place * WIDTH + at] = spare[before * WIDTH + at] ?? NONE;
      place++;
    }
    this.#items.length = place;
    spare.length = place * WIDTH;
    this.#free.length = 0;
  }

  #write(place: number, price: PriceNano, seq: number, number: number): void {
    const at = place * WIDTH;
    this.#spare[at] = price;
    this.#spare[at + 1] = seq;
    this.#spare[at + 2] = number;
  }
}
