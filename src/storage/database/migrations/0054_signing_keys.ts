/**
 * The keys with which gateways sign receipts: numbered, the newest that has its private half signs. Rows are never
 * deleted, so that earlier receipts verify. A key from the environment of a gateway has only its public half here.
 */
import type { Migration } from './migration.ts';

export const signingKeys: Migration = {
  id: '0054_signing_keys',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS signing_keys (
      number BIGINT NOT NULL PRIMARY KEY,
      kid VARCHAR(64) NOT NULL,
      public_key VARCHAR(64) NOT NULL,
      private_key TEXT NULL,
      created_at_ms BIGINT NOT NULL
    ) ${dialect.clusteredTable}`,
    'CREATE UNIQUE INDEX signing_keys_by_kid ON signing_keys (kid)',
  ],
};
