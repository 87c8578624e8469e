/** Invitations of addresses that are members elsewhere: an account has them as it has members, and nobody signs in by one. */
import type { Migration } from './migration.ts';

export const heldInvitations: Migration = {
  id: '0030_held_invitations',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS held_invitations (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      email VARCHAR(254) NOT NULL,
      account_id VARCHAR(64) NOT NULL,
      role VARCHAR(16) NOT NULL,
      created_at_ms BIGINT NOT NULL
    ) ${dialect.wideTable}`,
    'CREATE UNIQUE INDEX held_invitations_by_account ON held_invitations (account_id, email)',
  ],
};
