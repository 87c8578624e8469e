/**
 * How much of the slots is demanded at each price or better, by the orders that stand there. Prices are kept in bins of a
 * tenth of a per cent (exact below a thousand nano-dollars), so that the curve costs the same memory however many orders
 * rest, and sixteen steps a change or a reading. The lowest bin holds only price 0.
 */
import type { PriceNano } from '#base/money.ts';
import { CEILING_MAX } from '../listing.ts';

/** The bins of one width. Bin k, from 1, holds the prices from factor^(k − 1) to below factor^k. */
export class PriceBins {
  readonly #width: number;
  /** The last price: an order is counted several times in a row at its own. */
  #price = 0;
  #bin = 0;

  constructor(factor: number) {
    this.#width = Math.log(factor);
  }

  /** The bin of a price from 0. */
  of(price: PriceNano): number {
    if (price !== this.#price) {
      this.#bin = price < 1 ? 0 : 1 + Math.floor(Math.log(price) / this.#width);
      this.#price = price;
    }
    return this.#bin;
  }

  /** The lowest whole price in a bin. */
  lowestOf(bin: number): PriceNano {
    return bin === 0 ? 0 : this.topOf(bin - 1) + 1;
  }

  /** The highest whole price in a bin. */
  topOf(bin: number): PriceNano {
    return Math.ceil(Math.exp(bin * this.#width)) - 1;
  }
}

/** The bins of the demand at a price: each reaches a tenth of a per cent higher than the one below. */
export const demandBins = new PriceBins(1.001);

/** Weights by price, as whole numbers from 0. Bids above the highest price count as bids of it. */
export class DemandCurve {
  readonly #bins: PriceBins;
  readonly #highest: PriceNano;
  /** The bin above the highest price. */
  readonly #end: number;
  /** A Fenwick tree of the weights, from the highest bin down; empty until the first bid, so that an idle listing takes no memory. */
  #sums = new Int32Array(0);

  constructor(bins = demandBins, highest: PriceNano = CEILING_MAX) {
    this.#bins = bins;
    this.#highest = highest;
    this.#end = this.#bins.of(highest) + 1;
  }

  /** Adds a bid; a negative weight takes away one that was added with this price and weight. */
  add(price: PriceNano, weight: number): void {
    if (this.#sums.length === 0) this.#sums = new Int32Array(this.#end + 1);
    for (let at = this.#end - this.#binOf(price); at <= this.#end; at += at & -at) {
      this.#sums[at] = (this.#sums[at] ?? 0) + weight;
    }
  }

  /** The weight of the bids at `price` or better; the bin that contains the price counts in full. */
  atOrBetter(price: PriceNano): number {
    let sum = 0;
    for (let at = this.#end - this.#binOf(price); at > 0; at -= at & -at) sum += this.#sums[at] ?? 0;
    return sum;
  }

  #binOf(price: PriceNano): number {
    return this.#bins.of(Math.min(price, this.#highest));
  }
}
