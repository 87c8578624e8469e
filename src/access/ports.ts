/** The storage that access needs. */
import type { PriceNano } from '#base/money.ts';
import type { Account, Principal } from './principal.ts';

export interface AccessStore {
  /** The key with this SHA-256 (hex) and its account, even if revoked or expired; null for none. */
  findByHash(hash: string): Promise<FoundKey | null>;
  account(id: string): Promise<Account | null>;
}

/** Who a secret belongs to. */
export interface FoundKey {
  readonly principal: Principal;
  /** When this secret stops working: its key expires, or it was rotated away. Null for never. */
  readonly untilMs: number | null;
}

/** New defaults of an account; absent fields stay unchanged. */
export interface DefaultsChange {
  /** Merged by model id: a number sets the model's default, null clears it. */
  readonly priceLimits?: Readonly<Record<string, PriceNano | null>>;
  readonly priceLock?: boolean;
  readonly orderTimeoutS?: number;
}

/** Writes of an account's own defaults. */
export interface DefaultsStore {
  /** Resolves with the account as committed. Throws Fault not_found. */
  setDefaults(accountId: string, change: DefaultsChange): Promise<Account>;
}

/** How much of an account's download allowance was used at a point in time. */
export interface DownloadsUsed {
  readonly usedBytes: number;
  readonly atMs: number;
}

/** Keeps the download allowance across restarts, so that a restart does not grant a second one. */
export interface DownloadStore {
  /** The value saved last; null for an account that never downloaded. */
  load(accountId: string): Promise<DownloadsUsed | null>;
  /** Resolves when it is durable. */
  save(accountId: string, used: DownloadsUsed): Promise<void>;
}
