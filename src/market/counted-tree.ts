/**
 * A counted B+-tree over numbered things, ranked by price (high to low) and then by seq (low to high). Each entry of a
 * node has a key and a reference: in a leaf it names a thing, in a branch a child, and a branch's entries also have a
 * weight, the number of things below. All nodes lie side by side in a few typed arrays, so that a million things cost
 * some forty bytes each, the garbage collector sees none of them, and an operation visits few cache lines: at that
 * size waiting for memory is nearly all of its time.
 *
 * The key of a branch's entry is a separator: everything below the entry comes at or after it, everything below the
 * entry before comes before it. It is a route and no copy of a thing, so removing things leaves it alone; the first
 * entry's is not read. `level` is the height of a node above the leaves, 0 for a leaf.
 */
import type { PriceNano } from '#base/money.ts';

/** Entries of a node; measured at a million orders. No node but the root ever holds fewer than a quarter. */
const WIDTH = 32;
const FEWEST = WIDTH / 4;
const NONE = -1;

export class CountedTree {
  /** Number of entries, and parent, of each node. */
  #sizes = new Int32Array(0);
  #parents = new Int32Array(0);
  /** Entry i of node n is at n × WIDTH + i; its price is at twice that place in the keys, its seq behind it. */
  #keys = new Float64Array(0);
  #references = new Int32Array(0);
  #weights = new Int32Array(0);
  /** The leaf of each thing. */
  #leaves = new Int32Array(0);
  readonly #freeNodes: number[] = [];
  #root: number;
  /** The root's level. */
  #height = 0;
  #count = 0;

  constructor() {
    this.#root = this.#newNode();
  }

  /** How many things are in the tree. */
  get count(): number {
    return this.#count;
  }

  /** Adds a thing that is not in the tree: a whole number from 0, small because it indexes an array. */
  insert(thing: number, price: PriceNano, seq: number): void {
    let leaf = this.#root;
    for (let level = this.#height; level > 0; level--) leaf = this.#childFor(leaf, price, seq);
    if (this.#size(leaf) === WIDTH) {
      const upper = this.#split(leaf, 0);
      if (this.#entriesUpTo(upper, price, seq) > 0) leaf = upper;
    }
    if (thing >= this.#leaves.length) this.#leaves = copied(this.#leaves, new Int32Array(2 * thing + 16));
    const index = this.#entriesUpTo(leaf, price, seq);
    this.#open(leaf, index, 1, 0);
    this.#seat(leaf, index, thing, 0);
    this.#setKey(leaf, index, price, seq);
    this.#weigh(leaf, 1);
  }

  /** Takes out a thing that is in the tree. */
  remove(thing: number): void {
    const leaf = this.#leaves[thing] ?? NONE;
    this.#close(leaf, this.#indexIn(leaf, thing), 1, 0);
    this.#weigh(leaf, -1);
    if (this.#size(leaf) < FEWEST) this.#mend(leaf, 0);
  }

  /** How many come before a thing that is in the tree. */
  countBefore(thing: number): number {
    let node = this.#leaves[thing] ?? NONE;
    let before = this.#indexIn(node, thing);
    for (let above = this.#parent(node); above !== NONE; above = this.#parent(node)) {
      before += this.#weightBefore(above, this.#indexIn(above, node));
      node = above;
    }
    return before;
  }

  /** How many come before this price and seq, or stand at it. */
  countUpTo(price: PriceNano, seq: number): number {
    let node = this.#root;
    let before = 0;
    for (let level = this.#height; level > 0; level--) {
      const child = this.#childFor(node, price, seq);
      before += this.#weightBefore(node, this.#indexIn(node, child));
      node = child;
    }
    return before + this.#entriesUpTo(node, price, seq);
  }

  /** The thing that has this many before it, from 0 to one less than `count`. */
  thingAt(before: number): number {
    let node = this.#root;
    let left = before;
    for (let level = this.#height; level > 0; level--) {
      let entry = node * WIDTH;
      for (let weight = this.#weights[entry] ?? 0; left >= weight; weight = this.#weights[entry] ?? 0) {
        left -= weight;
        entry++;
      }
      node = this.#references[entry] ?? NONE;
    }
    return this.#reference(node, left);
  }

  /** Moves the upper half of a full node into a new one, which is returned. */
  #split(node: number, level: number): number {
    if (this.#parent(node) === NONE) this.#raise(node, level);
    else if (this.#size(this.#parent(node)) === WIDTH) this.#split(this.#parent(node), level + 1);
    const upper = this.#newNode();
    this.#move({ from: node, at: WIDTH / 2, count: WIDTH / 2, to: upper, into: 0 }, level);
    const parent = this.#parent(node);
    const index = this.#indexIn(parent, node);
    this.#open(parent, index + 1, 1, level + 1);
    this.#seat(parent, index + 1, upper, level + 1);
    this.#settle(parent, index, level);
    return upper;
  }

  /** Puts a new root above the old one. */
  #raise(node: number, level: number): void {
    this.#root = this.#newNode();
    this.#height = level + 1;
    this.#open(this.#root, 0, 1, this.#height);
    this.#seat(this.#root, 0, node, this.#height);
  }

  /** Joins a node that has become too small with a neighbour, or evens the two out when one could not hold both. */
  #mend(node: number, level: number): void {
    const parent = this.#parent(node);
    if (parent === NONE) {
      this.#lower(node, level);
      return;
    }
    const index = Math.max(0, this.#indexIn(parent, node) - 1);
    const left = this.#reference(parent, index);
    const right = this.#reference(parent, index + 1);
    const total = this.#size(left) + this.#size(right);
    if (total > WIDTH - FEWEST) {
      this.#even(left, right, level);
      this.#settle(parent, index, level);
      return;
    }
    this.#move({ from: right, at: 0, count: this.#size(right), to: left, into: this.#size(left) }, level);
    this.#close(parent, index + 1, 1, level + 1);
    this.#freeNodes.push(right);
    this.#setWeight(parent, index, this.#below(left, level));
    if (this.#size(parent) < FEWEST) this.#mend(parent, level + 1);
  }

  /** A root with a single child gives way to it. */
  #lower(root: number, level: number): void {
    if (level === 0 || this.#size(root) > 1) return;
    this.#root = this.#reference(root, 0);
    this.#height = level - 1;
    this.#parents[this.#root] = NONE;
    this.#sizes[root] = 0;
    this.#freeNodes.push(root);
  }

  #even(left: number, right: number, level: number): void {
    const half = (this.#size(left) + this.#size(right)) >> 1;
    const over = this.#size(left) - half;
    if (over > 0) this.#move({ from: left, at: half, count: over, to: right, into: 0 }, level);
    else this.#move({ from: right, at: 0, count: -over, to: left, into: this.#size(left) }, level);
  }

  /** After children `index` and `index + 1` of a branch changed: their weights, and the separator between them. */
  #settle(parent: number, index: number, level: number): void {
    const right = this.#reference(parent, index + 1);
    this.#setWeight(parent, index, this.#below(this.#reference(parent, index), level));
    this.#setWeight(parent, index + 1, this.#below(right, level));
    const first = 2 * right * WIDTH;
    this.#setKey(parent, index + 1, this.#keys[first] ?? 0, this.#keys[first + 1] ?? 0);
  }

  /** Counts things that came to a leaf or left it, in every branch above it. */
  #weigh(leaf: number, change: 1 | -1): void {
    this.#count += change;
    let node = leaf;
    for (let above = this.#parent(node); above !== NONE; above = this.#parent(node)) {
      const entry = above * WIDTH + this.#indexIn(above, node);
      this.#weights[entry] = (this.#weights[entry] ?? 0) + change;
      node = above;
    }
  }

  #move({ from, at, count, to, into }: Move, level: number): void {
    this.#open(to, into, count, level);
    this.#copy(from * WIDTH + at, to * WIDTH + into, count, level);
    for (let index = into; index < into + count; index++) this.#seat(to, index, this.#reference(to, index), level);
    this.#close(from, at, count, level);
  }

  /** Makes room for entries before `index`. */
  #open(node: number, index: number, count: number, level: number): void {
    const size = this.#size(node);
    const entry = node * WIDTH + index;
    if (index < size) this.#copy(entry, entry + count, size - index, level);
    this.#sizes[node] = size + count;
  }

  /** Takes entries out and closes the gap. */
  #close(node: number, index: number, count: number, level: number): void {
    const size = this.#size(node);
    const entry = node * WIDTH + index;
    if (index + count < size) this.#copy(entry + count, entry, size - index - count, level);
    this.#sizes[node] = size - count;
  }

  #copy(from: number, to: number, count: number, level: number): void {
    this.#keys.copyWithin(2 * to, 2 * from, 2 * (from + count));
    this.#references.copyWithin(to, from, from + count);
    if (level > 0) this.#weights.copyWithin(to, from, from + count);
  }

  /** Writes a reference, and in what it names where it now is. */
  #seat(node: number, index: number, reference: number, level: number): void {
    this.#references[node * WIDTH + index] = reference;
    if (level === 0) this.#leaves[reference] = node;
    else this.#parents[reference] = node;
  }

  /** The child below which a price and seq belong. */
  #childFor(branch: number, price: PriceNano, seq: number): number {
    return this.#reference(branch, Math.max(0, this.#entriesUpTo(branch, price, seq) - 1));
  }

  /** How many entries of a node come before a price and seq, or stand at it. */
  #entriesUpTo(node: number, price: PriceNano, seq: number): number {
    const keys = this.#keys;
    const first = 2 * node * WIDTH;
    let low = 0;
    let high = this.#size(node);
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = keys[first + 2 * middle] ?? 0;
      if (other > price || (other === price && (keys[first + 2 * middle + 1] ?? 0) <= seq)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #indexIn(node: number, reference: number): number {
    const references = this.#references;
    const first = node * WIDTH;
    let entry = first;
    while (references[entry] !== reference) entry++;
    return entry - first;
  }

  #weightBefore(branch: number, index: number): number {
    const weights = this.#weights;
    const first = branch * WIDTH;
    let sum = 0;
    for (let entry = first; entry < first + index; entry++) sum += weights[entry] ?? 0;
    return sum;
  }

  #below(node: number, level: number): number {
    return level === 0 ? this.#size(node) : this.#weightBefore(node, this.#size(node));
  }

  #size(node: number): number {
    return this.#sizes[node] ?? 0;
  }

  #parent(node: number): number {
    return this.#parents[node] ?? NONE;
  }

  #reference(node: number, index: number): number {
    return this.#references[node * WIDTH + index] ?? NONE;
  }

  #setWeight(branch: number, index: number, weight: number): void {
    this.#weights[branch * WIDTH + index] = weight;
  }

  #setKey(node: number, index: number, price: PriceNano, seq: number): void {
    const key = 2 * (node * WIDTH + index);
    this.#keys[key] = price;
    this.#keys[key + 1] = seq;
  }

  /** An empty node without a parent. */
  #newNode(): number {
    if (this.#freeNodes.length === 0) this.#grow();
    const node = this.#freeNodes.pop() ?? NONE;
    this.#sizes[node] = 0;
    this.#parents[node] = NONE;
    return node;
  }

  #grow(): void {
    const before = this.#sizes.length;
    const nodes = Math.max(1, Math.ceil(before * 1.5));
    this.#sizes = copied(this.#sizes, new Int32Array(nodes));
    this.#parents = copied(this.#parents, new Int32Array(nodes));
    this.#keys = copied(this.#keys, new Float64Array(2 * nodes * WIDTH));
    this.#references = copied(this.#references, new Int32Array(nodes * WIDTH));
    this.#weights = copied(this.#weights, new Int32Array(nodes * WIDTH));
    for (let node = nodes - 1; node >= before; node--) this.#freeNodes.push(node);
  }
}

/** Entries of one node on their way into another of the same level. */
interface Move {
  readonly from: number;
  readonly at: number;
  readonly count: number;
  readonly to: number;
  readonly into: number;
}

/** The new array, beginning with what the old one held. */
function copied<Column extends Int32Array | Float64Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
