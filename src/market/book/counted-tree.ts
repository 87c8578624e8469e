/**
 * A counted B+-tree over numbered items, ranked by price (high to low) and then by seq (low to high). Every branch
 * stores how many items lie below each child, and every item its leaf, so finding the position of an item costs no more
 * than finding the item.
 *
 * The key of a branch entry is a separator: everything below that entry sorts at or after it, everything below the
 * previous entry sorts before it. It is not a copy of an item, so removing items leaves it as it is. The key of the
 * first entry is never read.
 */
import type { PriceNano } from '#base/money.ts';
import { NONE, TreeNodes, WIDTH } from './tree-nodes.ts';

/** The fewest entries of a node, except the root, after a removal. */
const ENTRIES_MIN = WIDTH / 4;

/** Items in order. It does not check which items it holds; its caller, `OrderBook`, does. */
export class CountedTree {
  readonly #nodes = new TreeNodes();
  #root: number;
  /** The level of the root: the number of branches above each leaf. */
  #height = 0;
  #count = 0;

  constructor() {
    this.#root = this.#nodes.create();
  }

  /** The number of items in the tree. */
  get count(): number {
    return this.#count;
  }

  /** Adds an item that is not in the tree: a whole number from 0, kept small because it indexes an array. */
  insert(item: number, price: PriceNano, seq: number): void {
    const nodes = this.#nodes;
    let leaf = this.#root;
    for (let level = this.#height; level > 0; level--) leaf = this.#childFor(leaf, price, seq);
    if (nodes.size(leaf) === WIDTH) {
      const upper = this.#split(leaf, 0);
      if (nodes.entriesUpTo(upper, price, seq) > 0) leaf = upper;
    }
    const index = nodes.entriesUpTo(leaf, price, seq);
    nodes.open(leaf, index, 1, 0);
    nodes.setReference(leaf, index, item, 0);
    nodes.setKey(leaf, index, price, seq);
    this.#addWeight(leaf, 1);
  }

  /** Removes an item that is in the tree. */
  remove(item: number): void {
    const leaf = this.#nodes.leafOf(item);
    this.#nodes.close(leaf, this.#nodes.indexInLeaf(leaf, item), 1, 0);
    this.#addWeight(leaf, -1);
    if (this.#nodes.size(leaf) < ENTRIES_MIN) this.#rebalance(leaf, 0);
  }

  /** The number of items before an item that is in the tree. */
  countBefore(item: number): number {
    const nodes = this.#nodes;
    let node = nodes.leafOf(item);
    let before = nodes.indexInLeaf(node, item);
    for (let above = nodes.parent(node); above !== NONE; above = nodes.parent(node)) {
      before += nodes.weightBefore(above, nodes.indexInParent(node));
      node = above;
    }
    return before;
  }

  /** The number of items at this price or a higher one. */
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

  /** The item that has `before` items before it; `before` is at least 0 and less than `count`. */
  itemAt(before: number): number {
    const nodes = this.#nodes;
    let node = this.#root;
    let left = before;
    for (let level = this.#height; level > 0; level--) {
      let index = 0;
      for (let weight = nodes.weight(node, 0); left >= weight; weight = nodes.weight(node, index)) {
        left -= weight;
        index++;
      }
      node = nodes.reference(node, index);
    }
    return nodes.reference(node, left);
  }

  /** The child to which a price and seq belong. */
  #childFor(branch: number, price: PriceNano, seq: number): number {
    return this.#nodes.reference(branch, Math.max(0, this.#nodes.entriesUpTo(branch, price, seq) - 1));
  }

  /** Updates the weights of all branches above a leaf after an item was inserted (1) or removed (−1). */
  #addWeight(leaf: number, change: 1 | -1): void {
    const nodes = this.#nodes;
    this.#count += change;
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
