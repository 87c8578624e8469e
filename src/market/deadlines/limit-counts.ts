/** How many orders may bid a price, in steps of a tenth. A change costs some hundred additions, a reading none. Pure. */
import type { PriceNano } from '#base/money.ts';
import { PriceBins } from '../price/price-bins.ts';

const bins = new PriceBins(1.1);
/** Enough for the highest price limit, 10^18. */
const BINS = 437;

/** Counts of orders by their limits. */
export class LimitCounts {
  /** By step: the orders with a limit in it or above. */
  readonly #counts = new Uint32Array(BINS);

  /** So many more orders with this limit; less when negative. */
  add(limit: PriceNano, orders: number): void {
    for (let bin = binOf(limit); bin >= 0; bin--) this.#counts[bin] = (this.#counts[bin] ?? 0) + orders;
  }

  /** Orders whose limit is at least this, or less than a tenth below. */
  readonly upTo = (price: PriceNano): number => this.#counts[binOf(price)] ?? 0;
}

function binOf(price: PriceNano): number {
  return Math.min(BINS - 1, bins.of(price));
}
