/**
 * The order book: resting orders by price, highest first, then by arrival. They stand in one sorted sequence, cut into
 * blocks of some hundred, so that a change moves the orders of one block alone. Finding the block is a binary search, and
 * so is finding the place in it. Never change `price` or `seq` of a resting order: remove it, change it, insert it again.
 */
import { lowest } from '#base/lowest.ts';
import type { PriceNano } from '#base/money.ts';

/** An item that can rest in a book. */
export interface Ranked {
  readonly price: PriceNano;
  readonly seq: number;
}

/** Items per block; tuned with a million orders. */
const BLOCK_MAX = 512;
/** A block with fewer items than this is joined to the one before, if that has room. */
const BLOCK_MIN = BLOCK_MAX / 4;

/** Neighbors in a book. The prices stand apart from the items, so that a search touches few cache lines. */
class Block<Item extends Ranked> {
  readonly #prices = new Float64Array(BLOCK_MAX);
  readonly #seqs = new Float64Array(BLOCK_MAX);
  readonly items: Item[] = [];

  /** The number of items at or before a price and seq. */
  countTo(price: PriceNano, seq: number): number {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.isTo(middle, price, seq)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether the item at this index stands at or before a price and seq. */
  isTo(index: number, price: PriceNano, seq: number): boolean {
    const other = this.#prices[index] ?? 0;
    return other > price || (other === price && (this.#seqs[index] ?? 0) <= seq);
  }

  /** Inserts an item before the one at this index; the block must have room. */
  insert(index: number, item: Item): void {
    this.#prices.copyWithin(index + 1, index, this.items.length);
    this.#seqs.copyWithin(index + 1, index, this.items.length);
    this.#prices[index] = item.price;
    this.#seqs[index] = item.seq;
    this.items.splice(index, 0, item);
  }

  remove(index: number): void {
    this.#prices.copyWithin(index, index + 1, this.items.length);
    this.#seqs.copyWithin(index, index + 1, this.items.length);
    this.items.splice(index, 1);
  }

  /** Moves the items from this index on to the end of another block, which must have room. */
  moveTo(other: Block<Item>, from: number): void {
    other.#prices.set(this.#prices.subarray(from, this.items.length), other.items.length);
    other.#seqs.set(this.#seqs.subarray(from, this.items.length), other.items.length);
    other.items.push(...this.items.splice(from));
  }
}

/** Items ranked by price, high to low, then by `seq`, low to high. */
export class OrderBook<Item extends Ranked> {
  /** In order. There is always one, and none is empty unless the book is. */
  readonly #blocks: Block<Item>[] = [new Block()];
  /** The price of the first item of each block. */
  readonly #firsts: number[] = [0];
  /** A Fenwick tree of the numbers of items: place i, from 1, has those of the `i & -i` blocks that end with the i-th. */
  readonly #counts: number[] = [0, 0];
  #size = 0;

  /** The number of items. */
  get size(): number {
    return this.#size;
  }

  /** Inserts an item that is not here, behind those that are equal to it. */
  insert(item: Item): void {
    const { price, seq } = item;
    let at = this.#blockFor(price, seq);
    if (this.#block(at).items.length === BLOCK_MAX) {
      const upper = new Block<Item>();
      this.#block(at).moveTo(upper, BLOCK_MAX / 2);
      this.#blocks.splice(at + 1, 0, upper);
      this.#recount();
      at = this.#blockFor(price, seq);
    }
    const block = this.#block(at);
    block.insert(block.countTo(price, seq), item);
    this.#changed(at, 1);
  }

  /** Removes an item. Returns whether it rested here. */
  remove(item: Item): boolean {
    const place = this.#find(item);
    if (!place) return false;
    const [at, index] = place;
    const block = this.#block(at);
    block.remove(index);
    this.#changed(at, -1);
    if (block.items.length >= BLOCK_MIN) return true;
    const before = this.#blocks[at - 1];
    const isJoined = before && before.items.length + block.items.length <= BLOCK_MAX;
    if (isJoined) block.moveTo(before, 0);
    if (isJoined || (block.items.length === 0 && this.#blocks.length > 1)) {
      this.#blocks.splice(at, 1);
      this.#recount();
    }
    return true;
  }

  /** The first item; null when the book is empty. */
  best(): Item | null {
    return this.#block(0).items[0] ?? null;
  }

  /** The position of an item that rests in this book, from 1. */
  position(item: Item): number {
    const [at, index] = this.#find(item) ?? [0, -1];
    return this.#countBefore(at) + index + 1;
  }

  /** The item at this position, from 1; null beyond either end. */
  at(position: number): Item | null {
    if (position < 1 || position > this.#size) return null;
    const at = lowest(this.#blocks.length, (next) => this.#countBefore(next) >= position) - 1;
    return this.#block(at).items[position - this.#countBefore(at) - 1] ?? null;
  }

  /** How many items have this price or a higher one. */
  countAtOrAbove(price: PriceNano): number {
    const at = this.#blockFor(price, Number.POSITIVE_INFINITY);
    return this.#countBefore(at) + this.#block(at).countTo(price, Number.POSITIVE_INFINITY);
  }

  /** All items, first to last. The book must not change meanwhile. */
  *[Symbol.iterator](): Generator<Item> {
    for (const { items } of this.#blocks) yield* items;
  }

  #block(at: number): Block<Item> {
    const block = this.#blocks[at];
    if (!block) throw new RangeError(`there is no block ${at}`);
    return block;
  }

  /** The last block that begins at or before a price and seq; the first one if none does. */
  #blockFor(price: PriceNano, seq: number): number {
    let low = 1;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const first = this.#firsts[middle] ?? 0;
      if (first > price || (first === price && this.#block(middle).isTo(0, price, seq))) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The block of an item and its index there; null when it does not rest here. */
  #find(item: Item): readonly [at: number, index: number] | null {
    const { price, seq } = item;
    // From the last of those that are equal to it.
    let at = this.#blockFor(price, seq);
    let index = this.#block(at).countTo(price, seq);
    for (;;) {
      if (index === 0) {
        if (at === 0) return null;
        index = this.#block(--at).items.length;
      }
      const other = this.#block(at).items[--index];
      if (other === item) return [at, index];
      if (other?.price !== price || other.seq !== seq) return null;
    }
  }

  /** How many items stand before a block. */
  #countBefore(at: number): number {
    let count = 0;
    for (let place = at; place > 0; place -= place & -place) count += this.#counts[place] ?? 0;
    return count;
  }

  /** A block has so many items more, or fewer. */
  #changed(at: number, more: 1 | -1): void {
    const counts = this.#counts;
    this.#size += more;
    this.#firsts[at] = this.#block(at).items[0]?.price ?? 0;
    for (let place = at + 1; place < counts.length; place += place & -place)
      counts[place] = (counts[place] ?? 0) + more;
  }

  /** A block was put in or taken out. */
  #recount(): void {
    const [blocks, counts] = [this.#blocks, this.#counts];
    counts.length = blocks.length + 1;
    counts.fill(0);
    for (let at = 0; at < blocks.length; at++) {
      const { items } = this.#block(at);
      const place = at + 1;
      this.#firsts[at] = items[0]?.price ?? 0;
      counts[place] = (counts[place] ?? 0) + items.length;
      const next = place + (place & -place);
      if (next < counts.length) counts[next] = (counts[next] ?? 0) + (counts[place] ?? 0);
    }
  }
}
