/**
 * Who serves what, on MySQL and MariaDB: leases with their epochs, and the beats of the gateways that hold them. A table
 * for each, because every batch of the journal locks rows of leases, and a beat never waits. SQLite leaves both empty.
 */
import type { Migration } from './migration.ts';

export const leases: Migration = {
  id: '0020_leases',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS leases (
      name VARCHAR(128) NOT NULL PRIMARY KEY,
      epoch BIGINT NOT NULL,
      holder VARCHAR(64) NULL,
      process VARCHAR(512) NULL,
      address VARCHAR(255) NULL,
      connection_id BIGINT NULL,
      protocol INTEGER NULL,
      listing_hash VARCHAR(64) NULL
    ) ${dialect.clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS beats (
      gateway VARCHAR(64) NOT NULL PRIMARY KEY,
      beat_at DATETIME(3) NOT NULL
    ) ${dialect.clusteredTable}`,
  ],
};
