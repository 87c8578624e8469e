/** The storage that the operator's console needs. Each change and its row in the audit log are one transaction. */

import type { ConsoleMember } from '#access/member.ts';
import type { Account } from '#access/principal.ts';
import type { NanoUsd } from '#base/money.ts';
import type { BookedEntry, EntryKey } from '../ledger/book-types.ts';

/** What is set when an account is opened. */
export interface OpenedWith {
  readonly name: string;
  /** 0 to 30; 30 when absent. */
  readonly retentionDays?: number;
  readonly logPayloads?: boolean;
}

/** Money to be moved. The amount is above 0. */
export interface OperatorTransfer {
  readonly kind: 'top_up' | 'refund';
  readonly accountId: string;
  readonly amount: NanoUsd;
  /** The same key moves money once: it becomes the unique key of the entry. */
  readonly idempotencyKey: string;
  readonly reason?: string;
  /** Of a refund: the order that it is for. */
  readonly orderId?: string;
  /** Of a top-up: outside $10 to $10,000, too. */
  readonly force?: boolean;
}

/** Money that was moved, now or, if `repeated`, earlier. */
export interface MovedMoney {
  readonly entryId: string;
  readonly kind: 'top_up' | 'refund';
  readonly amount: NanoUsd;
  readonly orderId: string | null;
  readonly balance: NanoUsd;
  readonly repeated: boolean;
}

/** One page of accounts. `next`: where the next begins; null after the last. */
export interface AccountPage {
  readonly accounts: readonly Account[];
  readonly next: string | null;
}

/** The accounts, as members of the operator see and change them. An unknown id is always a Fault not_found. */
export interface OperatorAccounts {
  /**
   * By id, after `after`. With `search` those with this id, with a member of this e-mail, or with this part of the name;
   * by name a bounded number of accounts is looked through, so that a page may be empty before the last.
   */
  list(search: string | null, page: { readonly limit: number; readonly after: string | null }): Promise<AccountPage>;
  show(id: string): Promise<Account>;
  /** Opens an account with a balance of 0. Throws Fault invalid_request. */
  create(by: ConsoleMember, settings: OpenedWith): Promise<Account>;
  /** Suspends or resumes it; nothing is logged when that changes nothing. */
  setStatus(by: ConsoleMember, id: string, status: 'suspended' | 'active'): Promise<Account>;
  /** Throws Fault invalid_request, not_found (also the order), idempotency_error. */
  move(by: ConsoleMember, transfer: OperatorTransfer): Promise<MovedMoney>;
}

/** An entry of the audit log. */
export interface KnownChange {
  /** A UUIDv7: entries are in order of time. */
  readonly id: string;
  readonly atMs: number;
  readonly accountId: string | null;
  readonly who: string;
  readonly what: string;
  readonly subject: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** Writes to the audit log what a member is about to change outside of the database. */
export interface ChangeNotes {
  note(
    by: ConsoleMember,
    change: Pick<KnownChange, 'what' | 'subject' | 'before' | 'after'> & { readonly accountId?: string },
  ): Promise<void>;
}

/** An entry of an account that is no charge. */
export type AccountTransfer = Omit<BookedEntry, 'model'> & { readonly accountId: string };

/** The transfers of all accounts. */
export interface AllTransfers {
  /** The newest first, after the one with this time and id. */
  list(page: { readonly limit: number; readonly after: EntryKey | null }): Promise<AccountTransfer[]>;
}

/** A request that an account has had logged. */
export interface LoggedRequest {
  readonly orderId: string;
  readonly accountId: string;
  readonly expiresAtMs: number;
  /** What the model was sent, and the fields that are not sent to it. */
  readonly body: object;
}

/** Reads of the audit log. */
export interface ChangeHistory {
  /** The newest first, before the entry `after`; of all, or of what concerns an account. */
  list(
    accountId: string | null,
    page: { readonly limit: number; readonly after: string | null },
  ): Promise<KnownChange[]>;
}
