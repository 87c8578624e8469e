/**
 * How much of the slots is demanded at each price or better, by the bids that count. Prices are kept in bins of a tenth
 * of a per cent (exact where bids are below a thousand nano-dollars, or alone in their bin), so that the curve costs the
 * same memory and a dozen steps an operation however many orders rest.
 */
import type { PriceNano } from '#base/money.ts';
import { PriceBins } from './price-bins.ts';

/** Each reaches a tenth of a per cent higher than the one below. */
const bins = new PriceBins(1.001);

/** Weights are kept as whole numbers of this part of a slot, so that what was added can be taken away exactly. */
const PARTS = 256;

/** Weights by price. A weight is a number of slots, from 0, usually a part of one. */
export class DemandCurve {
  readonly #ceiling: PriceNano;
  readonly #bins: number;
  readonly #step: number;
  /** A Fenwick tree over the bins, the highest price first. */
  readonly #tree: Int32Array;
  /** By bin: its weight, and the sum of price times weight, from which its price follows. */
  readonly #weights: Int32Array;
  readonly #sums: Float64Array;
  #total = 0;
  /** What the tree has yet to learn of one bin: a change at a price is often followed by another. */
  #pendingBin = 0;
  #pendingParts = 0;

  /** Bids above `ceiling` count as bids of it. */
  constructor(ceiling: PriceNano) {
    this.#ceiling = ceiling;
    this.#bins = bins.of(ceiling) + 1;
    this.#step = 2 ** Math.floor(Math.log2(this.#bins));
    this.#tree = new Int32Array(this.#bins + 1);
    this.#weights = new Int32Array(this.#bins);
    this.#sums = new Float64Array(this.#bins);
  }

  /** The weight of all bids. */
  get total(): number {
    return this.#total / PARTS;
  }

  /** Adds a bid. */
  add(price: PriceNano, weight: number): void {
    this.#change(price, partsOf(weight));
  }

  /** Takes a bid away that was added with this price and weight. */
  remove(price: PriceNano, weight: number): void {
    this.#change(price, -partsOf(weight));
  }

  /** The weight of the bids at `price` or better; the bin that contains the price counts in full. */
  atOrBetter(price: PriceNano): number {
    this.#settle();
    let sum = 0;
    for (let at = this.#bins - this.#bin(price); at > 0; at -= at & -at) sum += this.#tree[at] ?? 0;
    return sum / PARTS;
  }

  /** The price of the first bid, from the best, with which the weight exceeds `place`; null when it never does. */
  priceAt(place: number): PriceNano | null {
    let left = Math.floor(place * PARTS);
    if (this.#total <= left) return null;
    this.#settle();
    let at = 0;
    for (let step = this.#step; step > 0; step >>= 1) {
      const weight = at + step <= this.#bins ? (this.#tree[at + step] ?? 0) : Number.POSITIVE_INFINITY;
      if (weight > left) continue;
      at += step;
      left -= weight;
    }
    const bin = this.#bins - 1 - at;
    return Math.round((this.#sums[bin] ?? 0) / (this.#weights[bin] ?? 1));
  }

  #change(price: PriceNano, parts: number): void {
    const bin = this.#bin(price);
    const weight = (this.#weights[bin] ?? 0) + parts;
    this.#weights[bin] = weight;
    // Sums of prices are not whole above 2^53; an empty bin forgets what rounding left.
    this.#sums[bin] = weight === 0 ? 0 : (this.#sums[bin] ?? 0) + Math.min(price, this.#ceiling) * parts;
    this.#total += parts;
    if (bin !== this.#pendingBin) this.#settle();
    this.#pendingBin = bin;
    this.#pendingParts += parts;
  }

  #settle(): void {
    const parts = this.#pendingParts;
    if (parts === 0) return;
    const tree = this.#tree;
    for (let at = this.#bins - this.#pendingBin; at <= this.#bins; at += at & -at) tree[at] = (tree[at] ?? 0) + parts;
    this.#pendingParts = 0;
  }

  #bin(price: PriceNano): number {
    return bins.of(Math.min(price, this.#ceiling));
  }
}

function partsOf(weight: number): number {
  return Math.max(1, Math.round(weight * PARTS));
}
