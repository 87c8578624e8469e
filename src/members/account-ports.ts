/** The storage that an account's own settings need, besides keys and members. Each change is one transaction with its row in the audit log. */
import type { AccountChange } from './ports.ts';

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
