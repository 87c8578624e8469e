/**
 * How much of the slots is demanded at each price or better, by the orders that stand there. Prices are kept in bins of a
 * tenth of a per cent (exact below a thousand nano-dollars), so that the curve costs the same memory however many orders
 * rest, one step a change, and at the first reading after one as many as there are bins between the lowest bid and the highest. The lowest bin holds only price 0.
 */
import type { PriceNano } from '#base/money.ts';

/** The last logarithm, which takes longer than the rest: an order is counted in bins of several widths. */
let loggedPrice = 1;
let logged = 0;

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
      this.#bin = price < 1 ? 0 : 1 + Math.floor(logarithm(price) / this.#width);
      this.#price = price;
    }
    return this.#bin;
  }

  /** The highest whole price in a bin. */
  topOf(bin: number): PriceNano {
    return Math.ceil(Math.exp(bin * this.#width)) - 1;
  }
}

function logarithm(price: PriceNano): number {
  if (price !== loggedPrice) {
    logged = Math.log(price);
    loggedPrice = price;
  }
  return logged;
}

/** Each reaches a tenth of a per cent higher than the one below. */
const bins = new PriceBins(1.001);

/** Weights by price, as whole numbers from 0. Changes are cheap, because many weights change between two readings. */
export class DemandCurve {
  readonly #ceiling: PriceNano;
  /** By bin, the lowest price first; empty until the first bid, so that an idle listing takes no memory. */
  #weights = new Int32Array(0);
  /** The sum of the weights from each bin upwards, if nothing has changed since the last reading. */
  #sums = this.#weights;
  #isSummed = true;
  /** The lowest and the highest bin that a bid was ever in: beyond them nothing need be summed. */
  #first = Number.POSITIVE_INFINITY;
  #last = 0;

  /** Bids above `ceiling` count as bids of it. */
  constructor(ceiling: PriceNano) {
    this.#ceiling = ceiling;
  }

  /** Adds a bid. */
  add(price: PriceNano, weight: number): void {
    this.#change(price, weight);
  }

  /** Takes a bid away that was added with this price and weight. */
  remove(price: PriceNano, weight: number): void {
    this.#change(price, -weight);
  }

  /** The weight of the bids at `price` or better; the bin that contains the price counts in full. */
  atOrBetter(price: PriceNano): number {
    if (!this.#isSummed) {
      let sum = 0;
      for (let bin = this.#last; bin >= this.#first; bin--) {
        sum += this.#weights[bin] ?? 0;
        this.#sums[bin] = sum;
      }
      this.#isSummed = true;
    }
    return this.#sums[Math.max(this.#first, this.#bin(price))] ?? 0;
  }

  #change(price: PriceNano, more: number): void {
    if (this.#weights.length === 0) {
      this.#weights = new Int32Array(bins.of(this.#ceiling) + 1);
      this.#sums = this.#weights.slice();
    }
    const bin = this.#bin(price);
    this.#weights[bin] = (this.#weights[bin] ?? 0) + more;
    this.#first = Math.min(this.#first, bin);
    this.#last = Math.max(this.#last, bin);
    this.#isSummed = false;
  }

  #bin(price: PriceNano): number {
    return bins.of(Math.min(price, this.#ceiling));
  }
}
