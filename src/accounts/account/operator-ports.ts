/** The storage that the operator's console needs. Each change and its row in the audit log are one transaction. */

import type { ConsoleMember } from '#access/member.ts';
import type { Account } from '#access/principal.ts';
import type { NanoUsd } from '#base/money.ts';

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
