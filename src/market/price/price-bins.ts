/** Prices in bins, each of which reaches the same factor higher than the one below. The lowest holds only the price 0. */
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
