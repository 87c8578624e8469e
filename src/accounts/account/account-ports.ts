/** The storage that an account's own settings need, besides keys and members. Each change is one transaction with its row in the audit log. */

import type { AccountChange } from '#access/member.ts';
import type { NanoUsd } from '#base/money.ts';

/** What an account keeps. */
export interface StorageSettings {
  /** 0 to 30. */
  readonly retentionDays: number;
  readonly logPayloads: boolean;
  /** Results and files together. */
  readonly storedBytes: number;
}

/** What was deleted in one go. */
export interface ClearedStorage {
  readonly results: number;
  readonly files: number;
  /** Logged requests. */
  readonly requests: number;
  /** Whether there may be more. */
  readonly more: boolean;
}

/** What is stored for an account, for its members. */
export interface MemberStorage {
  of(accountId: string): Promise<StorageSettings>;
  /** Absent fields stay. What is stored already keeps its end. */
  change(
    by: AccountChange,
    change: { readonly retentionDays?: number; readonly logPayloads?: boolean },
  ): Promise<StorageSettings>;
  /** Deletes a bounded number of results, contents of files and logged requests. Throws Fault batch_in_progress. */
  clear(by: AccountChange): Promise<ClearedStorage>;
}

/** The account as a whole, for its owners. */
export interface OwnAccount {
  /** Suspends the keys, or accepts them again. Throws Fault account_suspended when the operator has suspended it. */
  pause(by: AccountChange, paused: boolean): Promise<ClosableAccount>;
  /**
   * Revokes all keys, removes all members with their sessions, and forgets the card. Throws Fault not_found (another
   * name), account_busy.
   */
  close(by: AccountChange, name: string): Promise<void>;
}

/** What its owners are told. */
export interface ClosableAccount {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** Everything that is stored of an account besides orders and entries, some lines at a time. */
export interface AccountExport {
  lines(accountId: string): AsyncIterable<readonly object[]>;
}

/** A balance below which the account wants to be told. */
export interface BalanceAlert {
  readonly below: NanoUsd;
  /** Null while the balance is not below. */
  readonly crossedAtMs: number | null;
}

/** The alerts of accounts. */
export interface BalanceAlerts {
  /** The highest first. */
  list(accountId: string): Promise<BalanceAlert[]>;
  /** Replaces them; one that stays keeps its time. */
  set(by: AccountChange, below: readonly NanoUsd[]): Promise<BalanceAlert[]>;
}
