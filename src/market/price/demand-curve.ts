/**
 * How much of the slots is demanded at each price or better, by the orders that stand there. Prices are kept in bins of a
 * tenth of a per cent (exact below a thousand nano-dollars), so that the curve costs the same memory, four steps a change
 * and some thirty a reading however many orders rest. The lowest bin holds only price 0.
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

/** Weights are kept as whole numbers of this part of a slot, so that what was added can be taken away exactly. */
const PARTS = 256;

/** Weights are summed in groups of sixteen, and those in groups of sixteen, up to one group: 2^4. */
const GROUP_BITS = 4;
const GROUP = 2 ** GROUP_BITS;

/** Weights by price. A weight is a number of slots, from 0, usually a part of one. */
export class DemandCurve {
  readonly #ceiling: PriceNano;
  /** In tiers: the weight of each bin, the lowest price first, then of each group of bins, of each group of those, and so on. */
  readonly #weights: Int32Array;
  /** Where each tier begins in `#weights`; the last is one group. */
  readonly #tiers: readonly number[];

  /** Bids above `ceiling` count as bids of it. */
  constructor(ceiling: PriceNano) {
    this.#ceiling = ceiling;
    const tiers = [0];
    let groups = Math.ceil((bins.of(ceiling) + 1) / GROUP);
    let length = groups * GROUP;
    while (groups > 1) {
      tiers.push(length);
      groups = Math.ceil(groups / GROUP);
      length += groups * GROUP;
    }
    this.#tiers = tiers;
    this.#weights = new Int32Array(length);
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
    let at = this.#bin(price);
    let sum = this.#weights[at] ?? 0;
    for (const tier of this.#tiers) {
      const end = tier + (at | (GROUP - 1));
      for (let better = tier + at + 1; better <= end; better++) sum += this.#weights[better] ?? 0;
      at >>= GROUP_BITS;
    }
    return sum / PARTS;
  }

  #change(price: PriceNano, parts: number): void {
    let at = this.#bin(price);
    for (const tier of this.#tiers) {
      this.#weights[tier + at] = (this.#weights[tier + at] ?? 0) + parts;
      at >>= GROUP_BITS;
    }
  }

  #bin(price: PriceNano): number {
    return bins.of(Math.min(price, this.#ceiling));
  }
}

function partsOf(weight: number): number {
  return Math.max(1, Math.round(weight * PARTS));
}
