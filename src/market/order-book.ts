/**
 * The order book: resting orders by price, the highest first, then by arrival. It is a counted B+-tree of our own
 * (`book-nodes.ts`): every operation takes O(log n), the position of any order included, because each order knows its
 * leaf and each branch knows how many orders lie below each of its children. A newcomer's mistake would be to change
 * `price` or `seq` of an order while it rests: remove it, change it, insert it again.
 */
import type { PriceNano } from '#base/money.ts';
import { Branch, Leaf, type Ranked } from './book-nodes.ts';

export type { Ranked } from './book-nodes.ts';

/** Items ranked by price, high to low, then by `seq`, low to high. An item rests in at most one book at a time. */
export class OrderBook<Item extends Ranked<Item>> {
  #root: Leaf<Item> | Branch<Item> = new Leaf<Item>();

  /** How many rest here. */
  get size(): number {
    return this.#root.count;
  }

  /** Puts an item at its place. It must not rest in any book. */
  insert(item: Item): void {
    let node = this.#root;
    while (node instanceof Branch) node = node.childFor(item.price, item.seq);
    node.add(item);
    for (let above = node.parent, below: Leaf<Item> | Branch<Item> = node; above; above = above.parent) {
      above.countChild(below, 1);
      below = above;
    }
    if (node.isOver) this.#split(node);
  }

  /** Takes an item out. Returns whether it rested in a book; it must not rest in another one. */
  remove(item: Item): boolean {
    const leaf = item.leaf;
    if (!leaf) return false;
    leaf.delete(item);
    for (let above = leaf.parent, below: Leaf<Item> | Branch<Item> = leaf; above; above = above.parent) {
      above.countChild(below, -1);
      below = above;
    }
    if (leaf.isUnder) this.#mend(leaf);
    return true;
  }

  /** The item that comes first; null when the book is empty. */
  best(): Item | null {
    return this.at(1);
  }

  /** Takes out the item that comes first; null when the book is empty. */
  takeBest(): Item | null {
    const item = this.best();
    if (item) this.remove(item);
    return item;
  }

  /** The place of a resting item, from 1. It must rest in this book. */
  position(item: Item): number {
    const leaf = item.leaf;
    if (!leaf) return 0;
    let before = leaf.items.indexOf(item);
    for (let above = leaf.parent, below: Leaf<Item> | Branch<Item> = leaf; above; above = above.parent) {
      before += above.countBefore(below);
      below = above;
    }
    return before + 1;
  }

  /** The item at this place, from 1; null beyond the last. */
  at(position: number): Item | null {
    let node = this.#root;
    let left = position - 1;
    while (node instanceof Branch) {
      const index: number = node.indexOfPlace(left);
      left -= node.countBeforeIndex(index);
      const child: Leaf<Item> | Branch<Item> | undefined = node.children[index];
      if (!child) return null;
      node = child;
    }
    return node.items[left] ?? null;
  }

  /** How many items rest at `price` or better. */
  countAtOrBetter(price: PriceNano): number {
    let node = this.#root;
    let before = 0;
    while (node instanceof Branch) {
      const child: Leaf<Item> | Branch<Item> = node.childFor(price, Number.POSITIVE_INFINITY);
      before += node.countBefore(child);
      node = child;
    }
    return before + node.indexFor(price, Number.POSITIVE_INFINITY);
  }

  /** Every item from the first on. The book must not change meanwhile. */
  *[Symbol.iterator](): Generator<Item> {
    yield* this.#root.walk();
  }

  /** Cuts a node that has grown too large in two, and its parents as far as needed. */
  #split(node: Leaf<Item> | Branch<Item>): void {
    const upper = node.splitOff();
    let parent = node.parent;
    if (!parent) {
      parent = Branch.over(node);
      this.#root = parent;
    }
    parent.insertAfter(node, upper);
    if (parent.isOver) this.#split(parent);
  }

  /** Joins a node that has become too small with a neighbour; what is then too large for one is shared by two. */
  #mend(node: Leaf<Item> | Branch<Item>): void {
    const parent = node.parent;
    if (!parent) {
      this.#root = node.onlyChild() ?? node;
      this.#root.parent = null;
      return;
    }
    const kept = parent.joinWithNeighbour(node);
    if (kept.isRoomy) {
      if (parent.isUnder) this.#mend(parent);
    } else {
      parent.insertAfter(kept, kept.splitOff());
    }
  }
}

/**
 * The price of the k-th best item of two books taken together, k from 1; null when they hold fewer. O(log² n) by
 * bisection on how many of the k come from the first, which should be the smaller one.
 */
export function kthBestPrice<One extends Ranked<One>, Two extends Ranked<Two>>(
  one: OrderBook<One>,
  two: OrderBook<Two>,
  k: number,
): PriceNano | null {
  if (k < 1 || k > one.size + two.size) return null;
  let low = Math.max(0, k - two.size);
  let high = Math.min(one.size, k);
  while (low < high) {
    const fromOne = (low + high) >> 1;
    // Too few from the first as long as its next item beats the last one taken from the second.
    if (priceAt(one, fromOne + 1) > priceAt(two, k - fromOne)) low = fromOne + 1;
    else high = fromOne;
  }
  return Math.min(low > 0 ? priceAt(one, low) : Infinity, k > low ? priceAt(two, k - low) : Infinity);
}

function priceAt<Item extends Ranked<Item>>(book: OrderBook<Item>, position: number): PriceNano {
  return book.at(position)?.price ?? Number.NEGATIVE_INFINITY;
}
