/**
 * The orders of one account that do not execute, in the order in which they came. They are linked through themselves: a
 * Set would cost more memory for each order, and two tables for each account whose only order starts at once, which is
 * what most are.
 */

/** An item that can be in one list at a time. */
export interface Linked<Item> {
  /** Its neighbours in the list. Set by the list. */
  older: Item | null;
  newer: Item | null;
}

/** A list from which any item can be removed at once. */
export class QueuedOrders<Item extends Linked<Item>> {
  #oldest: Item | null = null;
  #newest: Item | null = null;

  get isEmpty(): boolean {
    return this.#oldest === null;
  }

  /** Adds an item that is in no list. */
  add(item: Item): void {
    item.older = this.#newest;
    if (this.#newest) this.#newest.newer = item;
    else this.#oldest = item;
    this.#newest = item;
  }

  /** Removes an item that is in this list or in none. */
  delete(item: Item): void {
    const { older, newer } = item;
    if (older) older.newer = newer;
    else if (this.#oldest === item) this.#oldest = newer;
    if (newer) newer.older = older;
    else if (this.#newest === item) this.#newest = older;
    item.older = null;
    item.newer = null;
  }

  /** All items, the oldest first. The present one may be removed. */
  *[Symbol.iterator](): Generator<Item> {
    for (let item = this.#oldest; item; ) {
      const { newer } = item;
      yield item;
      item = newer;
    }
  }
}
