/** Balances below which an account wants to be told; `crossed_at_ms` is null while its balance is not below. */
import type { Migration } from './migration.ts';

export const balanceAlerts: Migration = {
  id: '0040_balance_alerts',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS balance_alerts (
      account_id VARCHAR(64) NOT NULL,
      below BIGINT NOT NULL,
      crossed_at_ms BIGINT NULL,
      PRIMARY KEY (account_id, below)
    ) ${dialect.clusteredTable}`,
  ],
};
