/**
 * The nodes of a counted tree, in a few typed arrays. With a million items each costs about forty bytes, the garbage
 * collector sees none of them, and an operation touches few cache lines; at that size, waiting for memory takes almost
 * all of its time. A node is a number. Each of its entries has a key (price and seq) and a reference: in a leaf to an
 * item, in a branch to a child. A branch entry also has a weight, the number of items below it.
 *
 * `level` is the height of a node above the leaves, 0 for a leaf. It determines what the references of a node are.
 */
import type { PriceNano } from '#base/money.ts';

/** Entries per node; tuned with a million orders. */
export const WIDTH = 32;
/** No node or no item. */
export const NONE = -1;

/** Stores nodes and entries. It keeps references and back references in step, but does not know the sort order. */
export class TreeNodes {
  /** The number of entries of each node, its parent, and its index there. */
  #sizes = new Int32Array(0);
  #parents = new Int32Array(0);
  #indices = new Int32Array(0);
  /** Entry i of node n has index n × WIDTH + i. A search reads the prices, and a seq only where a price is the same. */
  #prices = new Float64Array(0);
  #seqs = new Float64Array(0);
  #references = new Int32Array(0);
  #weights = new Int32Array(0);
  /** The leaf of each item. */
  #leaves = new Int32Array(0);
  readonly #free: number[] = [];

  size(node: number): number {
    return this.#sizes[node] ?? 0;
  }

  /** `NONE` above the root. */
  parent(node: number): number {
    return this.#parents[node] ?? NONE;
  }

  /** The leaf in which an item was last stored. */
  leafOf(item: number): number {
    return this.#leaves[item] ?? NONE;
  }

  reference(node: number, index: number): number {
    return this.#references[node * WIDTH + index] ?? NONE;
  }

  /** The index of a node in its parent. */
  indexInParent(node: number): number {
    return this.#indices[node] ?? NONE;
  }

  /** The index of an item in its leaf. */
  indexInLeaf(node: number, reference: number): number {
    const references = this.#references;
    const first = node * WIDTH;
    let entry = first;
    while (references[entry] !== reference) entry++;
    return entry - first;
  }

  /** The number of entries before or at a price and seq. */
  entriesUpTo(node: number, price: PriceNano, seq: number): number {
    const prices = this.#prices;
    const first = node * WIDTH;
    let low = 0;
    let high = this.size(node);
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = prices[first + middle] ?? 0;
      if (other > price || (other === price && (this.#seqs[first + middle] ?? 0) <= seq)) low = middle + 1;
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

  /** The number of items below the entries before `index`. */
  weightBefore(branch: number, index: number): number {
    const weights = this.#weights;
    const first = branch * WIDTH;
    let sum = 0;
    for (let entry = first; entry < first + index; entry++) sum += weights[entry] ?? 0;
    return sum;
  }

  setKey(node: number, index: number, price: PriceNano, seq: number): void {
    const entry = node * WIDTH + index;
    this.#prices[entry] = price;
    this.#seqs[entry] = seq;
  }

  /** Gives an entry the key of another node's first entry. */
  copyFirstKey(node: number, index: number, from: number): void {
    const first = from * WIDTH;
    this.setKey(node, index, this.#prices[first] ?? 0, this.#seqs[first] ?? 0);
  }

  /** Stores a reference, and where its child or item is now. */
  setReference(node: number, index: number, reference: number, level: number): void {
    this.#references[node * WIDTH + index] = reference;
    if (level > 0) {
      this.#parents[reference] = node;
      this.#indices[reference] = index;
    } else {
      if (reference >= this.#leaves.length) this.#leaves = copied(this.#leaves, new Int32Array(2 * reference + 16));
      this.#leaves[reference] = node;
    }
  }

  /** Makes room for entries before `index`; the node must have enough. */
  open(node: number, index: number, count: number, level: number): void {
    const size = this.size(node);
    const entry = node * WIDTH + index;
    if (index < size) this.#copy(entry, entry + count, size - index, level);
    this.#sizes[node] = size + count;
  }

  /** Removes entries and closes the gap. */
  close(node: number, index: number, count: number, level: number): void {
    const size = this.size(node);
    const entry = node * WIDTH + index;
    if (index + count < size) this.#copy(entry + count, entry, size - index - count, level);
    this.#sizes[node] = size - count;
  }

  /** Moves entries to another node of the same level. */
  move({ from, at, count, to, into }: Move, level: number): void {
    this.open(to, into, count, level);
    this.#copy(from * WIDTH + at, to * WIDTH + into, count, level);
    for (let index = into; index < into + count; index++)
      this.setReference(to, index, this.reference(to, index), level);
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

  /** Frees a node for reuse by `create`. */
  discard(node: number): void {
    this.#free.push(node);
  }

  #copy(from: number, to: number, count: number, level: number): void {
    const prices = this.#prices;
    const seqs = this.#seqs;
    const references = this.#references;
    const weights = this.#weights;
    // One by one: for so few entries `copyWithin` costs more.
    const step = to < from ? 1 : -1;
    let at = to < from ? 0 : count - 1;
    for (let left = count; left > 0; left--, at += step) {
      prices[to + at] = prices[from + at] ?? 0;
      seqs[to + at] = seqs[from + at] ?? 0;
      references[to + at] = references[from + at] ?? NONE;
      if (level === 0) continue;
      weights[to + at] = weights[from + at] ?? 0;
      this.#indices[references[to + at] ?? 0] = (to + at) % WIDTH;
    }
  }

  #grow(): void {
    const before = this.#sizes.length;
    const nodes = Math.max(1, Math.ceil(before * 1.5));
    this.#sizes = copied(this.#sizes, new Int32Array(nodes));
    this.#parents = copied(this.#parents, new Int32Array(nodes));
    this.#indices = copied(this.#indices, new Int32Array(nodes));
    this.#prices = copied(this.#prices, new Float64Array(nodes * WIDTH));
    this.#seqs = copied(this.#seqs, new Float64Array(nodes * WIDTH));
    this.#references = copied(this.#references, new Int32Array(nodes * WIDTH));
    this.#weights = copied(this.#weights, new Int32Array(nodes * WIDTH));
    for (let node = nodes - 1; node >= before; node--) this.#free.push(node);
  }
}

/** Moves `count` entries from index `at` to before index `into` of another node. */
interface Move {
  readonly from: number;
  readonly at: number;
  readonly count: number;
  readonly to: number;
  readonly into: number;
}

/** The new array, filled with the old one's content. */
function copied<Column extends Int32Array | Float64Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
