/**
 * Who members are at the identity provider, by a hash of issuer and subject: an e-mail that the provider gives to
 * somebody else must not open what the first one had.
 */
import type { Migration } from './migration.ts';

export const identities: Migration = {
  id: '0037_identities',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS member_identities (
      member_id VARCHAR(64) NOT NULL PRIMARY KEY,
      subject_hash VARCHAR(64) NOT NULL
    ) ${dialect.clusteredTable}`,
  ],
};
