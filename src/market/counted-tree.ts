/**
 * A counted B+-tree over numbered things, ranked by price (high to low) and then by seq (low to high). Every branch
 * knows how many things lie below each of its children, and every thing its leaf, so that the place of any thing costs
 * as much to find as the thing itself.
 *
 * The key of a branch's entry is a separator: everything below the entry comes at or after it, everything below the
 * entry before comes before it. It is a route and no copy of a thing, so removing things leaves it alone; the first
 * entry's is not read.
 */
import type { PriceNano } from '#base/money.ts';
import { NONE, TreeNodes, WIDTH } from './tree-nodes.ts';

/** No node but the root holds fewer entries than this after a removal. */
const FEWEST = WIDTH / 4;

/** Things in order. It trusts its caller to know what is in it; `OrderBook` is that caller. */
export class CountedTree {
  readonly #nodes = new TreeNodes();
  #root: number;
  /** The root's level: how many branches lie above each leaf. */
  #height = 0;
  #count = 0;

  constructor() {
    this.#root = this.#nodes.create();
  }

  /** How many things are in the tree. */
  get count(): number {
    return this.#count;
  }

  /** Adds a thing that is not in the tree: a whole number from 0, small because it indexes an array. */
  insert(thing: number, price: PriceNano, seq: number): void {
    const nodes = this.#nodes;
    let leaf = this.#root;
    for (let level = this.#height; level > 0; level--) leaf = this.#childFor(leaf, price, seq);
    if (nodes.size(leaf) === WIDTH) {
      const upper = this.#split(leaf, 0);
      if (nodes.entriesUpTo(upper, price, seq) > 0) leaf = upper;
    }
    const index = nodes.entriesUpTo(leaf, price, seq);
    nodes.open(leaf, index, 1, 0);
    nodes.seat(leaf, index, thing, 0);
    nodes.setKey(leaf, index, price, seq);
    this.#weigh(leaf, 1);
  }

  /** Takes out a thing that is in the tree. */
  remove(thing: number): void {
    const leaf = this.#nodes.leafOf(thing);
    this.#nodes.close(leaf, this.#nodes.indexOf(leaf, thing), 1, 0);
    this.#weigh(leaf, -1);
    if (this.#nodes.size(leaf) < FEWEST) this.#mend(leaf, 0);
  }

  /** How many come before a thing that is in the tree. */
  countBefore(thing: number): number {
    const nodes = this.#nodes;
    let node = nodes.leafOf(thing);
    let before = nodes.indexOf(node, thing);
    for (let above = nodes.parent(node); above !== NONE; above = nodes.parent(node)) {
      before += nodes.weightBefore(above, nodes.indexOf(above, node));
      node = above;
    }
    return before;
  }

  /** How many come before this price and seq, or stand at it. */
  countUpTo(price: PriceNano, seq: number): number {
    const nodes = this.#nodes;
    let node = this.#root;
    let before = 0;
    for (let level = this.#height; level > 0; level--) {
      const child = this.#childFor(node, price, seq);
      before += nodes.weightBefore(node, nodes.indexOf(node, child));
      node = child;
    }
    return before + nodes.entriesUpTo(node, price, seq);
  }

  /** The thing that has this many before it, from 0 to one less than `count`. */
  thingAt(before: number): number {
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

  /** The child below which a price and seq belong. */
  #childFor(branch: number, price: PriceNano, seq: number): number {
    return this.#nodes.reference(branch, Math.max(0, this.#nodes.entriesUpTo(branch, price, seq) - 1));
  }

  /** Counts things that came to a leaf or left it, in every branch above it. */
  #weigh(leaf: number, change: 1 | -1): void {
    const nodes = this.#nodes;
    this.#count += change;
    let node = leaf;
    for (let above = nodes.parent(node); above !== NONE; above = nodes.parent(node)) {
      const index = nodes.indexOf(above, node);
      nodes.setWeight(above, index, nodes.weight(above, index) + change);
      node = above;
    }
  }

  /** Moves the upper half of a full node into a new one, which is returned. */
  #split(node: number, level: number): number {
    const nodes = this.#nodes;
    if (node === this.#root) this.#raise();
    else if (nodes.size(nodes.parent(node)) === WIDTH) this.#split(nodes.parent(node), level + 1);
    const upper = nodes.create();
    nodes.move({ from: node, at: WIDTH / 2, count: WIDTH / 2, to: upper, into: 0 }, level);
    const parent = nodes.parent(node);
    const index = nodes.indexOf(parent, node);
    nodes.open(parent, index + 1, 1, level + 1);
    nodes.seat(parent, index + 1, upper, level + 1);
    this.#settle(parent, index, level);
    return upper;
  }

  /** Puts a new root above the old one. */
  #raise(): void {
    const child = this.#root;
    this.#root = this.#nodes.create();
    this.#height++;
    this.#nodes.open(this.#root, 0, 1, this.#height);
    this.#nodes.seat(this.#root, 0, child, this.#height);
  }

  /** Joins a node that has become too small with a neighbour, or evens the two out when one could hardly hold both. */
  #mend(node: number, level: number): void {
    const nodes = this.#nodes;
    if (node === this.#root) {
      this.#lower();
      return;
    }
    const parent = nodes.parent(node);
    const index = Math.max(0, nodes.indexOf(parent, node) - 1);
    const left = nodes.reference(parent, index);
    const right = nodes.reference(parent, index + 1);
    if (nodes.size(left) + nodes.size(right) > WIDTH - FEWEST) {
      this.#even(left, right, level);
      this.#settle(parent, index, level);
      return;
    }
    nodes.move({ from: right, at: 0, count: nodes.size(right), to: left, into: nodes.size(left) }, level);
    nodes.close(parent, index + 1, 1, level + 1);
    nodes.discard(right);
    nodes.setWeight(parent, index, this.#below(left, level));
    if (nodes.size(parent) < FEWEST) this.#mend(parent, level + 1);
  }

  /** A root with a single child gives way to it. */
  #lower(): void {
    if (this.#height === 0 || this.#nodes.size(this.#root) > 1) return;
    const child = this.#nodes.reference(this.#root, 0);
    this.#nodes.discard(this.#root);
    this.#nodes.unparent(child);
    this.#root = child;
    this.#height--;
  }

  #even(left: number, right: number, level: number): void {
    const nodes = this.#nodes;
    const half = (nodes.size(left) + nodes.size(right)) >> 1;
    const over = nodes.size(left) - half;
    if (over > 0) nodes.move({ from: left, at: half, count: over, to: right, into: 0 }, level);
    else nodes.move({ from: right, at: 0, count: -over, to: left, into: nodes.size(left) }, level);
  }

  /** After entries moved between children `index` and `index + 1`: their weights, and the separator between them. */
  #settle(parent: number, index: number, level: number): void {
    const nodes = this.#nodes;
    const right = nodes.reference(parent, index + 1);
    nodes.setWeight(parent, index, this.#below(nodes.reference(parent, index), level));
    nodes.setWeight(parent, index + 1, this.#below(right, level));
    nodes.copyFirstKey(parent, index + 1, right);
  }

  /** How many things lie below a node, or in it. */
  #below(node: number, level: number): number {
    const size = this.#nodes.size(node);
    return level === 0 ? size : this.#nodes.weightBefore(node, size);
  }
}
