/** What the ledger stores and what its readers can query. Entries are append-only; their sum is the balance. */
import type { NanoUsd, PriceNano } from '#base/money.ts';

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
