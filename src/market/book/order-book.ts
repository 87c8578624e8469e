/**
 * The order book: resting orders by price, highest first, then by arrival. Never change `price` or `seq` of a resting order:
 * remove it, change it, insert it again.
 *
 * It is a counted B+-tree: every branch stores how many orders lie below each child, and every order has a number, the slot,
 * by which its leaf is found. So every operation is O(log n), including the position of any order.
 *
 * The key of a branch entry is a separator: everything below that entry sorts at or after it, everything below the
 * previous entry sorts before it. It is not a copy of an order, so removing orders leaves it as it is. The key of the
 * first entry is never read.
 */
import type { PriceNano } from '#base/money.ts';
import { NONE, TreeNodes, WIDTH } from './tree-nodes.ts';

/** An item that can rest in a book, in one at a time. */
export interface Ranked {
  price: PriceNano;
  seq: number;
  /** Set by the book: the item's number there, or `NOT_RESTING` outside a book. */
  slot: number;
}

/** The slot of an item that rests in no book. */
export const NOT_RESTING = -1;

/** The fewest entries of a node, except the root, after a removal. */
const ENTRIES_MIN = WIDTH / 4;

/** Items ranked by price, high to low, then by `seq`, low to high. */
export class OrderBook<Item extends Ranked> {
  readonly #nodes = new TreeNodes();
  #root: number;
  /** The level of the root: the number of branches above each leaf. */
  #height = 0;
  #size = 0;
  /** The items by slot, and the slots that can be reused: slots are kept small because they index arrays. */
  readonly #items: (Item | null)[] = [];
  readonly #freeSlots: number[] = [];

  constructor() {
    this.#root = this.#nodes.create();
  }

  /** The number of items. */
  get size(): number {
    return this.#size;
  }

  /** Inserts an item at its place. It must not rest in any book. */
  insert(item: Item): void {
    const slot = this.#freeSlots.pop() ?? this.#items.length;
    this.#items[slot] = item;
    item.slot = slot;
    this.#place(slot, item.price, item.seq);
  }

  /** Removes an item, which must rest in this book or in none. Returns whether it rested here. */
  remove(item: Item): boolean {
    const { slot } = item;
    if (slot === NOT_RESTING) return false;
    const leaf = this.#nodes.leafOf(slot);
    this.#nodes.close(leaf, this.#nodes.indexInLeaf(leaf, slot), 1, 0);
    this.#addWeight(leaf, -1);
    if (this.#nodes.size(leaf) < ENTRIES_MIN) this.#rebalance(leaf, 0);
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
  position({ slot }: Item): number {
    const nodes = this.#nodes;
    let node = nodes.leafOf(slot);
    let position = 1 + nodes.indexInLeaf(node, slot);
    for (let above = nodes.parent(node); above !== NONE; above = nodes.parent(node)) {
      position += nodes.weightBefore(above, nodes.indexInParent(node));
      node = above;
    }
    return position;
  }

  /** The item at this position, from 1; null beyond either end. */
  at(position: number): Item | null {
    if (position < 1 || position > this.#size) return null;
    const nodes = this.#nodes;
    let node = this.#root;
    let left = position - 1;
    for (let level = this.#height; level > 0; level--) {
      let index = 0;
      for (let weight = nodes.weight(node, 0); left >= weight; weight = nodes.weight(node, index)) {
        left -= weight;
        index++;
      }
      node = nodes.reference(node, index);
    }
    return this.#items[nodes.reference(node, left)] ?? null;
  }

  /** How many items have this price or a higher one. */
  countAtOrAbove(price: PriceNano): number {
    const nodes = this.#nodes;
    let node = this.#root;
    let before = 0;
    for (let level = this.#height; level > 0; level--) {
      const index = Math.max(0, nodes.entriesUpTo(node, price, Number.POSITIVE_INFINITY) - 1);
      before += nodes.weightBefore(node, index);
      node = nodes.reference(node, index);
    }
    return before + nodes.entriesUpTo(node, price, Number.POSITIVE_INFINITY);
  }

  /** All items, first to last, O(log n) each. The book must not change meanwhile. */
  *[Symbol.iterator](): Generator<Item> {
    for (let position = 1; position <= this.size; position++) {
      const item = this.at(position);
      if (item) yield item;
    }
  }

  #place(slot: number, price: PriceNano, seq: number): void {
    const nodes = this.#nodes;
    let leaf = this.#root;
    for (let level = this.#height; level > 0; level--) leaf = this.#childFor(leaf, price, seq);
    if (nodes.size(leaf) === WIDTH) {
      const upper = this.#split(leaf, 0);
      if (nodes.entriesUpTo(upper, price, seq) > 0) leaf = upper;
    }
    const index = nodes.entriesUpTo(leaf, price, seq);
    nodes.open(leaf, index, 1, 0);
    nodes.setReference(leaf, index, slot, 0);
    nodes.setKey(leaf, index, price, seq);
    this.#addWeight(leaf, 1);
  }

  /** The child to which a price and seq belong. */
  #childFor(branch: number, price: PriceNano, seq: number): number {
    return this.#nodes.reference(branch, Math.max(0, this.#nodes.entriesUpTo(branch, price, seq) - 1));
  }

  /** Updates the weights of all branches above a leaf after an item was inserted (1) or removed (−1). */
  #addWeight(leaf: number, change: 1 | -1): void {
    const nodes = this.#nodes;
    this.#size += change;
    let node = leaf;
    for (let above = nodes.parent(node); above !== NONE; above = nodes.parent(node)) {
      const index = nodes.indexInParent(node);
      nodes.setWeight(above, index, nodes.weight(above, index) + change);
      node = above;
    }
  }

  /** Moves the upper half of a full node into a new node and returns that. */
  #split(node: number, level: number): number {
    const nodes = this.#nodes;
    if (node === this.#root) {
      // A new root above the old one.
      this.#root = nodes.create();
      this.#height++;
      nodes.open(this.#root, 0, 1, this.#height);
      nodes.setReference(this.#root, 0, node, this.#height);
    } else if (nodes.size(nodes.parent(node)) === WIDTH) this.#split(nodes.parent(node), level + 1);
    const upper = nodes.create();
    nodes.move({ from: node, at: WIDTH / 2, count: WIDTH / 2, to: upper, into: 0 }, level);
    const parent = nodes.parent(node);
    const index = nodes.indexInParent(node);
    nodes.open(parent, index + 1, 1, level + 1);
    nodes.setReference(parent, index + 1, upper, level + 1);
    this.#updateEntries(parent, index, level);
    return upper;
  }

  /** Merges an underfull node with a sibling, or balances the two when the merged node would be nearly full. */
  #rebalance(node: number, level: number): void {
    const nodes = this.#nodes;
    if (node === this.#root) {
      if (this.#height === 0 || nodes.size(node) > 1) return;
      // The single child of the root takes its place.
      this.#root = nodes.reference(node, 0);
      nodes.discard(node);
      nodes.unparent(this.#root);
      this.#height--;
      return;
    }
    const parent = nodes.parent(node);
    const index = Math.max(0, nodes.indexInParent(node) - 1);
    const left = nodes.reference(parent, index);
    const right = nodes.reference(parent, index + 1);
    if (nodes.size(left) + nodes.size(right) > WIDTH - ENTRIES_MIN) {
      this.#redistribute(left, right, level);
      this.#updateEntries(parent, index, level);
      return;
    }
    nodes.move({ from: right, at: 0, count: nodes.size(right), to: left, into: nodes.size(left) }, level);
    nodes.close(parent, index + 1, 1, level + 1);
    nodes.discard(right);
    nodes.setWeight(parent, index, this.#itemsBelow(left, level));
    if (nodes.size(parent) < ENTRIES_MIN) this.#rebalance(parent, level + 1);
  }

  #redistribute(left: number, right: number, level: number): void {
    const nodes = this.#nodes;
    const half = (nodes.size(left) + nodes.size(right)) >> 1;
    const over = nodes.size(left) - half;
    if (over > 0) nodes.move({ from: left, at: half, count: over, to: right, into: 0 }, level);
    else nodes.move({ from: right, at: 0, count: -over, to: left, into: nodes.size(left) }, level);
  }

  /** Updates weights and separator after entries moved between children `index` and `index + 1`. */
  #updateEntries(parent: number, index: number, level: number): void {
    const nodes = this.#nodes;
    const right = nodes.reference(parent, index + 1);
    nodes.setWeight(parent, index, this.#itemsBelow(nodes.reference(parent, index), level));
    nodes.setWeight(parent, index + 1, this.#itemsBelow(right, level));
    nodes.copyFirstKey(parent, index + 1, right);
  }

  /** The number of items in or below a node. */
  #itemsBelow(node: number, level: number): number {
    const size = this.#nodes.size(node);
    return level === 0 ? size : this.#nodes.weightBefore(node, size);
  }
}
