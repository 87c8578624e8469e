/** Past prices, as receipts and the public ledger read them. */
import type { ChainedPrice, PriceChain } from './price-chain.ts';

/** Where a page of a chain begins and ends. */
export interface ChainPage {
  /** Rows with higher numbers alone. */
  readonly after: number;
  readonly limit: number;
}

/** Past prices of a market, as far as they are kept. */
export interface PastPrices {
  /** A level or quote by its number; null when it is no longer kept. `hash` is null for a row that is in no chain. */
  row(chain: PriceChain, model: string, number: number): Promise<KeptPrice | null>;
  /** Rows of a chain in the order of their numbers. */
  page(chain: PriceChain, model: string, page: ChainPage): Promise<ChainedPrice[]>;
  /** The number of the row in force at a time, or of the first that is kept; 0 for none. */
  numberAt(chain: PriceChain, model: string, atMs: number): Promise<number>;
  /** The number of the newest row, also of one that is in no chain; 0 for none. */
  lastNumber(chain: PriceChain, model: string): Promise<number>;
  /** The newest row of a chain; null for none. */
  newest(chain: PriceChain, model: string): Promise<ChainedPrice | null>;
}

/** A level or quote that is kept. */
export type KeptPrice = Omit<ChainedPrice, 'hash'> & { readonly hash: string | null };
