/**
 * What is kept of results beside the orders, so that neither the sweep nor the cap ever looks for it among millions of
 * orders: one row for each stored body, in the order in which an account's bodies are evicted, and the sum of their
 * sizes with the account. `downloads` says how much of an account's hourly allowance was used up, and when.
 */
import type { Migration } from './migration.ts';

export const results: Migration = {
  id: '0005_results',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS results (
      account_id VARCHAR(64) NOT NULL,
      finished_at_ms BIGINT NOT NULL,
      order_id VARCHAR(36) NOT NULL,
      bytes BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      PRIMARY KEY (account_id, finished_at_ms, order_id)
    ) ${dialect.clusteredTable}`,
    'CREATE INDEX results_by_expiry ON results (expires_at_ms)',
    'ALTER TABLE accounts ADD COLUMN stored_bytes BIGINT NOT NULL DEFAULT 0',
    `CREATE TABLE IF NOT EXISTS downloads (
      account_id VARCHAR(64) NOT NULL PRIMARY KEY,
      used_bytes BIGINT NOT NULL,
      at_ms BIGINT NOT NULL
    ) ${dialect.clusteredTable}`,
  ],
};
