/**
 * A binary heap whose items know their places, so that any of them can be taken out. A heap that only marks what is
 * deleted keeps it reachable until it comes first, which may be in thirty days.
 */

/** Where an item is in its heap; `OUTSIDE` in none. Only the heap changes it. */
export interface HeapItem {
  at: number;
}

/** The place of an item that is in no heap. */
export const OUTSIDE = -1;

/** Items by an order of their own. An item is in one heap at most, and does not change its rank while it is there. */
export class IndexedHeap<Item extends HeapItem> {
  readonly #items: Item[] = [];
  readonly #isBefore: (one: Item, other: Item) => boolean;

  constructor(isBefore: (one: Item, other: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  /** The item that comes before all others; undefined when there is none. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#rise(item, this.#items.length);
  }

  /** Takes the item out; no effect on one that is in no heap. */
  delete(item: Item): void {
    const { at } = item;
    if (at === OUTSIDE) return;
    item.at = OUTSIDE;
    const last = this.#items.pop();
    if (!last || last === item) return;
    this.#sink(last, at);
    this.#rise(last, last.at);
  }

  /** Takes every item out. */
  clear(): void {
    for (const item of this.#items) item.at = OUTSIDE;
    this.#items.length = 0;
  }

  #rise(item: Item, from: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#items[above];
      if (!parent || !this.#isBefore(item, parent)) break;
      this.#put(parent, at);
      at = above;
    }
    this.#put(item, at);
  }

  #sink(item: Item, from: number): void {
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      const [left, right] = [this.#items[below], this.#items[below + 1]];
      if (left && right && this.#isBefore(right, left)) below++;
      const child = this.#items[below];
      if (!child || !this.#isBefore(child, item)) break;
      this.#put(child, at);
      at = below;
    }
    this.#put(item, at);
  }

  #put(item: Item, at: number): void {
    this.#items[at] = item;
    item.at = at;
  }
}
