/**
 * The nodes of the order book's counted B+-tree. Leaves hold the items in order; a branch holds children, and for each
 * child how many items lie below it and a separator: every item below the child comes at or after it, every item below
 * the child before it comes before it. Separators are routes, not copies of items: removing an item leaves them alone.
 */
import type { PriceNano } from '#base/money.ts';

/** What can rest in a book. `leaf` belongs to the book; null while the item rests in none. */
export interface Ranked<Self extends Ranked<Self>> {
  price: PriceNano;
  seq: number;
  leaf: Leaf<Self> | null;
}

/** Measured at a million orders: wider leaves make inserts dearer, narrower ones make the tree deeper. */
const LEAF_MAX = 64;
const BRANCH_MAX = 64;

/** A run of neighbouring items, and beside them a copy of their keys, so that a search never visits the items. */
export class Leaf<Item extends Ranked<Item>> {
  parent: Branch<Item> | null = null;
  readonly items: Item[] = [];
  /** Price and seq of each item in turn. Room for a leaf that was joined with its neighbour and is not yet cut again. */
  readonly #keys = new Float64Array(2 * (LEAF_MAX + LEAF_MAX / 4));

  get count(): number {
    return this.items.length;
  }
  get isOver(): boolean {
    return this.items.length > LEAF_MAX;
  }
  get isUnder(): boolean {
    return this.items.length < LEAF_MAX / 4;
  }
  get isRoomy(): boolean {
    return this.items.length <= LEAF_MAX / 2;
  }

  /** How many items here come before an item of this price and seq. */
  indexFor(price: PriceNano, seq: number): number {
    const keys = this.#keys;
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comesBefore(keys[2 * middle] ?? 0, keys[2 * middle + 1] ?? 0, price, seq)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  add(item: Item): void {
    this.#seat(this.indexFor(item.price, item.seq), item);
  }

  delete(item: Item): void {
    const index = this.items.indexOf(item);
    this.items.splice(index, 1);
    this.#keys.copyWithin(2 * index, 2 * index + 2, 2 * this.items.length + 2);
    item.leaf = null;
  }

  /** Keeps the first half; returns the rest and where it begins. */
  splitOff(): Cut<Item> {
    const node = new Leaf<Item>();
    for (const item of this.items.splice(this.items.length >> 1)) node.#seat(node.items.length, item);
    const first = node.items[0];
    return { node, price: first?.price ?? 0, seq: first?.seq ?? 0 };
  }

  /** Takes over everything of the neighbour after this leaf. */
  absorb(cut: Cut<Item>): void {
    if (!(cut.node instanceof Leaf)) return;
    for (const item of cut.node.items) this.#seat(this.items.length, item);
  }

  onlyChild(): null {
    return null;
  }

  *walk(): Generator<Item> {
    yield* this.items;
  }

  #seat(index: number, item: Item): void {
    this.#keys.copyWithin(2 * index + 2, 2 * index, 2 * this.items.length);
    this.#keys[2 * index] = item.price;
    this.#keys[2 * index + 1] = item.seq;
    this.items.splice(index, 0, item);
    item.leaf = this;
  }
}

/** Neighbouring nodes of one height, with counts and separators side by side so that a scan stays in one place. */
export class Branch<Item extends Ranked<Item>> {
  parent: Branch<Item> | null = null;
  readonly children: Node<Item>[] = [];
  readonly #counts: number[] = [];
  /** Separators; the first one is never read. */
  readonly #prices: number[] = [];
  readonly #seqs: number[] = [];

  /** A new root above the old one. */
  static over<Item extends Ranked<Item>>(child: Node<Item>): Branch<Item> {
    const branch = new Branch<Item>();
    branch.#put(0, { node: child, price: 0, seq: 0 });
    return branch;
  }

  get count(): number {
    return this.countBeforeIndex(this.children.length);
  }
  get isOver(): boolean {
    return this.children.length > BRANCH_MAX;
  }
  get isUnder(): boolean {
    return this.children.length < BRANCH_MAX / 4;
  }
  get isRoomy(): boolean {
    return this.children.length <= BRANCH_MAX / 2;
  }

  /** The child below which an item of this price and seq belongs. */
  childFor(price: PriceNano, seq: number): Node<Item> {
    let low = 0;
    let high = this.children.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (comesBefore(price, seq, this.#prices[middle] ?? 0, this.#seqs[middle] ?? 0)) high = middle - 1;
      else low = middle;
    }
    return this.#child(low);
  }

  /** The child that holds the item with `place` items of this branch before it. */
  indexOfPlace(place: number): number {
    const counts = this.#counts;
    const last = counts.length - 1;
    let left = place;
    let index = 0;
    for (; index < last; index++) {
      const count = counts[index] ?? 0;
      if (left < count) break;
      left -= count;
    }
    return index;
  }

  countBefore(child: Node<Item>): number {
    return this.countBeforeIndex(this.children.indexOf(child));
  }

  countBeforeIndex(index: number): number {
    const counts = this.#counts;
    let sum = 0;
    for (let i = 0; i < index; i++) sum += counts[i] ?? 0;
    return sum;
  }

  countChild(child: Node<Item>, change: 1 | -1): void {
    const index = this.children.indexOf(child);
    this.#counts[index] = (this.#counts[index] ?? 0) + change;
  }

  /** Seats a node just split off behind the one it was split from, and counts both anew. */
  insertAfter(child: Node<Item>, cut: Cut<Item>): void {
    const index = this.children.indexOf(child);
    this.#counts[index] = child.count;
    this.#put(index + 1, cut);
  }

  /** Joins a child with a neighbour and returns the one that holds both now. A branch has always two children. */
  joinWithNeighbour(child: Node<Item>): Node<Item> {
    const at = this.children.indexOf(child);
    const right = at + 1 < this.children.length ? at + 1 : at;
    const kept = this.#child(right - 1);
    kept.absorb(this.#cut(right));
    this.#drop(right);
    this.#counts[right - 1] = kept.count;
    return kept;
  }

  splitOff(): Cut<Item> {
    const middle = this.children.length >> 1;
    const node = new Branch<Item>();
    const first = this.#cut(middle);
    for (let i = middle; i < this.children.length; i++) node.#put(node.children.length, this.#cut(i));
    while (this.children.length > middle) this.#drop(this.children.length - 1);
    return { node, price: first.price, seq: first.seq };
  }

  absorb(cut: Cut<Item>): void {
    const from = cut.node;
    if (!(from instanceof Branch)) return;
    // The neighbour's first separator is not read there, but here it is: it is the neighbour's own.
    from.#prices[0] = cut.price;
    from.#seqs[0] = cut.seq;
    for (let i = 0; i < from.children.length; i++) this.#put(this.children.length, from.#cut(i));
  }

  onlyChild(): Node<Item> | null {
    return this.children.length === 1 ? this.#child(0) : null;
  }

  *walk(): Generator<Item> {
    for (const child of this.children) yield* child.walk();
  }

  #child(index: number): Node<Item> {
    const child = this.children[index];
    if (!child) throw new Error('an order book lost a node');
    return child;
  }

  #cut(index: number): Cut<Item> {
    return { node: this.#child(index), price: this.#prices[index] ?? 0, seq: this.#seqs[index] ?? 0 };
  }

  #put(index: number, { node, price, seq }: Cut<Item>): void {
    node.parent = this;
    this.children.splice(index, 0, node);
    this.#counts.splice(index, 0, node.count);
    this.#prices.splice(index, 0, price);
    this.#seqs.splice(index, 0, seq);
  }

  #drop(index: number): void {
    for (const column of [this.children, this.#counts, this.#prices, this.#seqs]) column.splice(index, 1);
  }
}

export type Node<Item extends Ranked<Item>> = Leaf<Item> | Branch<Item>;

/** A node and the separator before it. */
interface Cut<Item extends Ranked<Item>> {
  readonly node: Node<Item>;
  readonly price: PriceNano;
  readonly seq: number;
}

/** Price, then arrival. */
function comesBefore(price: PriceNano, seq: number, otherPrice: PriceNano, otherSeq: number): boolean {
  return price > otherPrice || (price === otherPrice && seq < otherSeq);
}
