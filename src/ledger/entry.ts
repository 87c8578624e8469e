/** Entries of the ledger. */
import type { NanoUsd } from '#base/money.ts';

/**
 * A movement of money: top_up and refund are above 0, charge is at most 0. reversal is what a debit, or a
 * refund or dispute of a payment, took, below 0, or gave back. Entries are append-only; their sum is the balance.
 */
export interface Entry {
  readonly id: string;
  readonly accountId: string;
  readonly kind: 'top_up' | 'charge' | 'refund' | 'reversal';
  readonly amount: NanoUsd;
  readonly orderId: string | null;
  /** Unique within the account: the order id of a charge, the idempotency key of a top-up, refund or debit, the event of a payment. */
  readonly uniqueKey: string;
  readonly reason: string | null;
  readonly createdAtMs: number;
}
