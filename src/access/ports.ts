/** What access needs of storage. */
import type { Account, ApiKey } from './principal.ts';

export interface AccessStore {
  /** The key with this SHA-256 (hex) and its account, revoked or not; null when there is none. */
  findByHash(hash: string): Promise<{ key: ApiKey; account: Account } | null>;
  account(id: string): Promise<Account | null>;
}
