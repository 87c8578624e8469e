/** What the ledger stores and what its readers can query. Entries are append-only; their sum is the balance. */
import type { NanoUsd, PriceNano } from '#base/money.ts';
import type { ChainedPrice, PriceChain } from './price-chain.ts';

/**
 * A movement of money: top_up and refund are above 0, charge is at most 0. reversal is what a refund or dispute of a
 * payment took, below 0, or gave back.
 */
export interface Entry {
  readonly id: string;
  readonly accountId: string;
  readonly kind: 'top_up' | 'charge' | 'refund' | 'reversal';
  readonly amount: NanoUsd;
  readonly orderId: string | null;
  /** Unique within the account: the order id of a charge, the idempotency key of a top-up or refund, the event of a payment. */
  readonly uniqueKey: string;
  readonly reason: string | null;
  readonly createdAtMs: number;
}

/** One settled order. Spec 2.4. `charged` is net of refunds. */
export interface UsageRow {
  readonly id: string;
  readonly orderId: string;
  readonly model: string;
  readonly createdAtMs: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly price: PriceNano;
  readonly charged: NanoUsd;
  readonly pricing: 'market' | 'fixed';
}

/** The filters of GET /v1/usage. Time bounds are inclusive and apply to the settlement time. */
export interface UsageFilter {
  readonly accountId: string;
  readonly model: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** One page of a list. `after` is the settlement time and id of the last row on the previous page. */
export interface UsagePage {
  readonly limit: number;
  readonly after: { readonly createdAtMs: number; readonly id: string } | null;
}

export interface UsageStore {
  /** Newest first. */
  list(filter: UsageFilter, page: UsagePage): Promise<UsageRow[]>;
  totals(filter: UsageFilter): Promise<{ requests: number; charged: NanoUsd }>;
}

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
