/** What was sent to the model, for accounts that asked to have it kept. Never in the process log, never for longer. */
import type { Migration } from './migration.ts';

export const requestLogs: Migration = {
  id: '0007_request_logs',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS request_logs (
      order_id VARCHAR(36) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      body LONGTEXT NOT NULL,
      expires_at_ms BIGINT NOT NULL
    ) ${dialect.wideTable}`,
    'CREATE INDEX request_logs_by_expiry ON request_logs (expires_at_ms)',
  ],
};
