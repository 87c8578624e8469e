/**
 * The order book: resting orders by price, highest first, then by arrival. Every operation is O(log n), including the
 * position of any order (`counted-tree.ts`). Never change `price` or `seq` of a resting order: remove it, change it,
 * insert it again.
 */
import type { PriceNano } from '#base/money.ts';
import { CountedTree } from './counted-tree.ts';

/** An item that can rest in a book, in one at a time. */
export interface Ranked {
  price: PriceNano;
  seq: number;
  /** Set by the book: the item's number there, or `NOT_RESTING` outside a book. */
  slot: number;
}

/** The slot of an item that rests in no book. */
export const NOT_RESTING = -1;

/** Items ranked by price, high to low, then by `seq`, low to high. */
export class OrderBook<Item extends Ranked> {
  readonly #tree = new CountedTree();
  /** The items by slot, and the slots that can be reused. */
  readonly #items: (Item | null)[] = [];
  readonly #freeSlots: number[] = [];

  /** The number of items. */
  get size(): number {
    return this.#tree.count;
  }

  /** Inserts an item at its place. It must not rest in any book. */
  insert(item: Item): void {
    const slot = this.#freeSlots.pop() ?? this.#items.length;
    this.#items[slot] = item;
    item.slot = slot;
    this.#tree.insert(slot, item.price, item.seq);
  }

  /** Removes an item, which must rest in this book or in none. Returns whether it rested here. */
  remove(item: Item): boolean {
    const { slot } = item;
    if (slot === NOT_RESTING) return false;
    this.#tree.remove(slot);
    this.#items[slot] = null;
    this.#freeSlots.push(slot);
    item.slot = NOT_RESTING;
    return true;
  }

  /** The first item; null when the book is empty. */
  best(): Item | null {
    return this.at(1);
  }

  /** The position of an item that rests in this book, from 1. */
  position(item: Item): number {
    return this.#tree.countBefore(item.slot) + 1;
  }

  /** The item at this position, from 1; null beyond either end. */
  at(position: number): Item | null {
    if (position < 1 || position > this.#tree.count) return null;
    return this.#items[this.#tree.itemAt(position - 1)] ?? null;
  }

  /** How many items have this price or a higher one. */
  countAtOrAbove(price: PriceNano): number {
    return this.#tree.countAtOrAbove(price);
  }

  /** All items, first to last, O(log n) each. The book must not change meanwhile. */
  *[Symbol.iterator](): Generator<Item> {
    for (let position = 1; position <= this.size; position++) {
      const item = this.at(position);
      if (item) yield item;
    }
  }
}
