/**
 * The nodes of a counted tree, side by side in a few typed arrays: a million things cost some forty bytes each, the
 * garbage collector sees none of them, and an operation visits few cache lines, where at that size waiting for memory
 * is nearly all of its time. A node is a number. Each of its entries has a key (price and seq) and a reference: in a
 * leaf to a thing, in a branch to a child, and then also a weight, the number of things below.
 *
 * `level` is the height of a node above the leaves, 0 for a leaf; it says what the references of a node are.
 */
import type { PriceNano } from '#base/money.ts';

/** Entries of a node; measured at a million orders. */
export const WIDTH = 32;
/** No node and no thing. */
export const NONE = -1;

/** Storage of nodes and their entries. It keeps references and what they name in step, and knows no order. */
export class TreeNodes {
  /** Number of entries, and parent, of each node. */
  #sizes = new Int32Array(0);
  #parents = new Int32Array(0);
  /** Entry i of node n is at n × WIDTH + i; its price is at twice that place in the keys, its seq behind it. */
  #keys = new Float64Array(0);
  #references = new Int32Array(0);
  #weights = new Int32Array(0);
  /** The leaf of each thing. */
  #leaves = new Int32Array(0);
  readonly #free: number[] = [];

  size(node: number): number {
    return this.#sizes[node] ?? 0;
  }

  /** `NONE` above the root. */
  parent(node: number): number {
    return this.#parents[node] ?? NONE;
  }

  /** The leaf in which a thing was seated last. */
  leafOf(thing: number): number {
    return this.#leaves[thing] ?? NONE;
  }

  reference(node: number, index: number): number {
    return this.#references[node * WIDTH + index] ?? NONE;
  }

  /** Where a node refers to a child or thing; it must. */
  indexOf(node: number, reference: number): number {
    const references = this.#references;
    const first = node * WIDTH;
    let entry = first;
    while (references[entry] !== reference) entry++;
    return entry - first;
  }

  /** How many entries come before a price and seq, or stand at it. */
  entriesUpTo(node: number, price: PriceNano, seq: number): number {
    const keys = this.#keys;
    const first = 2 * node * WIDTH;
    let low = 0;
    let high = this.size(node);
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = keys[first + 2 * middle] ?? 0;
      if (other > price || (other === price && (keys[first + 2 * middle + 1] ?? 0) <= seq)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  weight(branch: number, index: number): number {
    return this.#weights[branch * WIDTH + index] ?? 0;
  }

  setWeight(branch: number, index: number, weight: number): void {
    this.#weights[branch * WIDTH + index] = weight;
  }

  /** How many things lie below the entries before `index`. */
  weightBefore(branch: number, index: number): number {
    const weights = this.#weights;
    const first = branch * WIDTH;
    let sum = 0;
    for (let entry = first; entry < first + index; entry++) sum += weights[entry] ?? 0;
    return sum;
  }

  setKey(node: number, index: number, price: PriceNano, seq: number): void {
    const key = 2 * (node * WIDTH + index);
    this.#keys[key] = price;
    this.#keys[key + 1] = seq;
  }

  /** Gives an entry the key of another node's first entry. */
  copyFirstKey(node: number, index: number, from: number): void {
    const first = 2 * from * WIDTH;
    this.setKey(node, index, this.#keys[first] ?? 0, this.#keys[first + 1] ?? 0);
  }

  /** Writes a reference, and where what it names is now. */
  seat(node: number, index: number, reference: number, level: number): void {
    this.#references[node * WIDTH + index] = reference;
    if (level > 0) this.#parents[reference] = node;
    else {
      if (reference >= this.#leaves.length) this.#leaves = copied(this.#leaves, new Int32Array(2 * reference + 16));
      this.#leaves[reference] = node;
    }
  }

  /** Makes room for entries before `index`; the node must have it. */
  open(node: number, index: number, count: number, level: number): void {
    const size = this.size(node);
    const entry = node * WIDTH + index;
    if (index < size) this.#copy(entry, entry + count, size - index, level);
    this.#sizes[node] = size + count;
  }

  /** Takes entries out and closes the gap. */
  close(node: number, index: number, count: number, level: number): void {
    const size = this.size(node);
    const entry = node * WIDTH + index;
    if (index + count < size) this.#copy(entry + count, entry, size - index - count, level);
    this.#sizes[node] = size - count;
  }

  /** Moves entries from one node into another of the same level. */
  move({ from, at, count, to, into }: Move, level: number): void {
    this.open(to, into, count, level);
    this.#copy(from * WIDTH + at, to * WIDTH + into, count, level);
    for (let index = into; index < into + count; index++) this.seat(to, index, this.reference(to, index), level);
    this.close(from, at, count, level);
  }

  /** An empty node without a parent. */
  create(): number {
    if (this.#free.length === 0) this.#grow();
    const node = this.#free.pop() ?? NONE;
    this.#sizes[node] = 0;
    this.unparent(node);
    return node;
  }

  /** Makes a node a root. */
  unparent(node: number): void {
    this.#parents[node] = NONE;
  }

  /** Gives a node up for `create` to use again. */
  discard(node: number): void {
    this.#free.push(node);
  }

  #copy(from: number, to: number, count: number, level: number): void {
    this.#keys.copyWithin(2 * to, 2 * from, 2 * (from + count));
    this.#references.copyWithin(to, from, from + count);
    if (level > 0) this.#weights.copyWithin(to, from, from + count);
  }

  #grow(): void {
    const before = this.#sizes.length;
    const nodes = Math.max(1, Math.ceil(before * 1.5));
    this.#sizes = copied(this.#sizes, new Int32Array(nodes));
    this.#parents = copied(this.#parents, new Int32Array(nodes));
    this.#keys = copied(this.#keys, new Float64Array(2 * nodes * WIDTH));
    this.#references = copied(this.#references, new Int32Array(nodes * WIDTH));
    this.#weights = copied(this.#weights, new Int32Array(nodes * WIDTH));
    for (let node = nodes - 1; node >= before; node--) this.#free.push(node);
  }
}

/** `count` entries from `at` on, to go before the entry `into` of another node. */
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
