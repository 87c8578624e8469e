/**
 * Public links to receipts: every reader with its `token` sees the signed receipt of one order. It is stored as it is, because the
 * account's members see it again, and it opens nothing else. Revoking deletes the row.
 */
import type { Migration } from './migration.ts';

/** Adds the table. */
export const receiptLinks: Migration = {
  id: '0073_receipt_links',
  statements: ({ clusteredTable }) => [
    `CREATE TABLE IF NOT EXISTS receipt_links (
      token VARCHAR(64) NOT NULL PRIMARY KEY,
      order_id VARCHAR(36) NOT NULL UNIQUE,
      account_id VARCHAR(64) NOT NULL,
      created_at_ms BIGINT NOT NULL
    ) ${clusteredTable}`,
    'CREATE INDEX receipt_links_by_account ON receipt_links (account_id)',
  ],
};
