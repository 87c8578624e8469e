/**
 * Keys that reach only what they made: scopes, addresses and the owner of a key, and which key made a file or was
 * charged. Earlier files do not say which key made them, so no key counts them as its own. The indexes serve the lists
 * of such keys.
 */
import type { Migration } from './migration.ts';

/** Adds the columns and indexes. */
export const keyScopes: Migration = {
  id: '0063_key_scopes',
  statements: () => [
    'ALTER TABLE api_keys ADD COLUMN scopes TEXT NULL',
    'ALTER TABLE api_keys ADD COLUMN addresses TEXT NULL',
    'ALTER TABLE api_keys ADD COLUMN member_id VARCHAR(64) NULL',
    'ALTER TABLE files ADD COLUMN key_id VARCHAR(64) NULL',
    'ALTER TABLE usage_records ADD COLUMN key_id VARCHAR(64) NULL',
    `UPDATE usage_records SET key_id = (SELECT orders.key_id FROM orders WHERE orders.id = usage_records.order_id)
       WHERE key_id IS NULL`,
    'CREATE INDEX orders_by_key ON orders (key_id, created_at_ms, id)',
    'CREATE INDEX usage_by_key ON usage_records (key_id, created_at_ms, order_id)',
    'CREATE INDEX files_by_key ON files (account_id, key_id, id)',
    'CREATE INDEX batches_by_key ON batches (account_id, key_id, id)',
    'CREATE INDEX api_keys_by_member ON api_keys (member_id)',
  ],
};
