/**
 * Files: one row for each. Ids grow with time, so the order of ids is the order of a list. The bytes of those whose
 * content is there count in `accounts.stored_bytes`. The indexes are for the list, the list of one purpose, the sweep of
 * what is due, and the eviction of an account's oldest.
 */
import type { Migration } from './migration.ts';

export const files: Migration = {
  id: '0009_files',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS files (
      id VARCHAR(40) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      purpose VARCHAR(16) NOT NULL,
      filename VARCHAR(255) NOT NULL,
      bytes BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      content_gone SMALLINT NOT NULL
    ) ${dialect.clusteredTable}`,
    'CREATE INDEX files_by_account ON files (account_id, id)',
    'CREATE INDEX files_by_purpose ON files (account_id, purpose, id)',
    'CREATE INDEX files_by_expiry ON files (content_gone, expires_at_ms, id)',
    'CREATE INDEX files_by_age ON files (account_id, content_gone, id)',
  ],
};
