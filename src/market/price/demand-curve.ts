/**
 * How much of the slots is demanded at each price or better, by the orders that stand there. Prices are kept in bins of a
 * tenth of a per cent (exact below a thousand nano-dollars), so that the curve costs the same memory however many orders
 * rest, one step a change, and at the first reading after one as many as there are bins between the lowest bid and the highest. The lowest bin holds only price 0.
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

/** Weights by bin. Changes are cheap, because many weights change between two readings. */
export class BinWeights {
  readonly #create: () => Int32Array | Float64Array;
  /** Empty until the first change, so that an idle listing takes no memory. */
  #weights: Int32Array | Float64Array = new Int32Array(0);
  /** The sum of the weights from each bin upwards, if nothing has changed since the last reading. */
  #sums = this.#weights;
  #isSummed = true;
  /** The lowest and the highest bin that ever changed: beyond them nothing need be summed. */
  first = Number.POSITIVE_INFINITY;
  last = -1;

  /** `create` makes an array with a place for each bin and one more. */
  constructor(create: () => Int32Array | Float64Array) {
    this.#create = create;
  }

  at(bin: number): number {
    return this.#weights[bin] ?? 0;
  }

  set(bin: number, weight: number): void {
    if (this.last < 0) {
      this.#weights = this.#create();
      this.#sums = this.#create();
    }
    this.#weights[bin] = weight;
    this.first = Math.min(this.first, bin);
    this.last = Math.max(this.last, bin);
    this.#isSummed = false;
  }

  /** The sum of the weights in this bin and above. */
  from(bin: number): number {
    if (!this.#isSummed) {
      for (let each = this.last; each >= this.first; each--) {
        this.#sums[each] = (this.#sums[each + 1] ?? 0) + (this.#weights[each] ?? 0);
      }
      this.#isSummed = true;
    }
    return this.#sums[Math.max(this.first, bin)] ?? 0;
  }
}

/** Weights by price, as whole numbers from 0. Bids above the highest price count as bids of it. */
export class DemandCurve {
  readonly #bins: PriceBins;
  readonly #highest: PriceNano;
  readonly #weights: BinWeights;

  /** Each bin reaches `factor` times as high as the one below. */
  constructor(factor = 1.001, highest: PriceNano = CEILING_MAX) {
    this.#bins = new PriceBins(factor);
    this.#highest = highest;
    this.#weights = new BinWeights(() => new Int32Array(this.#bins.of(highest) + 2));
  }

  /** Adds a bid; a negative weight takes away one that was added with this price and weight. */
  add(price: PriceNano, weight: number): void {
    const bin = this.#binOf(price);
    this.#weights.set(bin, this.#weights.at(bin) + weight);
  }

  /** The weight of the bids at `price` or better; the bin that contains the price counts in full. */
  atOrBetter(price: PriceNano): number {
    return this.#weights.from(this.#binOf(price));
  }

  #binOf(price: PriceNano): number {
    return this.#bins.of(Math.min(price, this.#highest));
  }
}
