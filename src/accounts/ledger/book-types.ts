/** An account's own view of its money. Amounts are nano-dollars; below 0 is what left the account. */
import type { NanoUsd } from '#base/money.ts';

/** What an account has now. */
export interface AccountStanding {
  readonly balance: NanoUsd;
  readonly held: NanoUsd;
  readonly owed: NanoUsd;
  /** Charged, less refunds, per day of the last seven; of a younger account per day of its age, at least one. */
  readonly burnPerDay: NanoUsd;
}

/** An entry of the ledger. */
export interface BookedEntry {
  readonly id: string;
  readonly kind: 'top_up' | 'charge' | 'refund' | 'reversal';
  readonly amount: NanoUsd;
  readonly orderId: string | null;
  /** Of a charge. */
  readonly model: string | null;
  readonly reason: string | null;
  readonly createdAtMs: number;
}

/** Where a page of entries begins: after the entry with this time and id. */
export interface EntryKey {
  readonly createdAtMs: number;
  readonly id: string;
}

/** One page of entries. */
export interface EntryPage {
  /** `charges` of orders, or `transfers`: all others. Null for both. */
  readonly only: 'charges' | 'transfers' | null;
  readonly limit: number;
  readonly after: EntryKey | null;
}

/** The charges of a model on a day. */
export interface DayCharges {
  /** Since the epoch, UTC. */
  readonly day: number;
  readonly model: string;
  readonly requests: number;
  /** At most 0. Refunds are entries of their own and not taken off. */
  readonly amount: NanoUsd;
}

/** A month of an account. Opening balance and sums make the closing balance. */
export interface AccountStatement {
  readonly name: string;
  readonly opening: NanoUsd;
  readonly closing: NanoUsd;
  readonly sums: Readonly<Record<BookedEntry['kind'], NanoUsd>>;
  /** By day, then model. */
  readonly charges: readonly DayCharges[];
  /** The oldest first, a bounded number. */
  readonly transfers: readonly BookedEntry[];
  readonly transfersLeftOut: number;
}

/** Reads of the books. An account that does not exist is a Fault not_found. */
export interface AccountBooks {
  standing(accountId: string): Promise<AccountStanding>;
  /** Newest first. */
  entries(accountId: string, page: EntryPage): Promise<BookedEntry[]>;
  /** From `fromMs` up to and without `toMs`, both the beginning of a UTC day, from one snapshot. */
  statement(accountId: string, period: { readonly fromMs: number; readonly toMs: number }): Promise<AccountStatement>;
}
