/**
 * What gateways keep for themselves.
 *
 * - `counters`: numbers that are counted up, rows that transactions lock to take turns, and on MySQL rows that say for some
 *   minutes that a transaction has committed, `written:` and its id: `transaction.ts`.
 * - `leases`, `beats`: which gateway serves what, with epochs, and the signs of life. They are two tables because every
 *   batch of the journal locks rows of leases, and a beat never waits. On SQLite only the gateway that serves is there.
 * - `signing_keys`: the keys that sign receipts, numbered. The newest with a private half signs. Rows are never deleted,
 *   so earlier receipts can be verified. A key from the environment has only its public half here.
 * - `audit_runs`: a run that has not ended and has not beaten for a minute belongs to a gateway that is gone.
 *   `result_json` is null while it runs and if it failed.
 * - `audit_acknowledgements`: findings that the operator explained; rows are only added. `who` is null for the command line.
 */
import type { Dialect } from '../../dialects/dialect.ts';

/** The statements that create these tables. */
export function operationTables(dialect: Dialect): readonly string[] {
  return [...gateways(dialect), ...audits(dialect)];
}

function gateways({ clusteredTable }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS counters (
      name VARCHAR(64) NOT NULL PRIMARY KEY,
      value BIGINT NOT NULL
    ) ${clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS leases (
      name VARCHAR(128) NOT NULL PRIMARY KEY,
      epoch BIGINT NOT NULL,
      holder VARCHAR(64) NULL,
      process VARCHAR(512) NULL,
      address VARCHAR(255) NULL,
      connection_id BIGINT NULL,
      protocol INTEGER NULL,
      listing_hash VARCHAR(64) NULL
    ) ${clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS beats (
      gateway VARCHAR(64) NOT NULL PRIMARY KEY,
      beat_at DATETIME(3) NOT NULL
    ) ${clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS signing_keys (
      number BIGINT NOT NULL PRIMARY KEY,
      kid VARCHAR(64) NOT NULL,
      public_key VARCHAR(64) NOT NULL,
      private_key TEXT NULL,
      created_at_ms BIGINT NOT NULL
    ) ${clusteredTable}`,
    'CREATE UNIQUE INDEX signing_keys_by_kid ON signing_keys (kid)',
  ];
}

function audits({ wideTable, longText }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS audit_runs (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      who VARCHAR(254) NOT NULL,
      started_at_ms BIGINT NOT NULL,
      beat_at_ms BIGINT NOT NULL,
      ended_at_ms BIGINT NULL,
      result_json ${longText} NULL
    ) ${wideTable}`,
    `CREATE TABLE IF NOT EXISTS audit_acknowledgements (
      finding VARCHAR(16) NOT NULL PRIMARY KEY,
      sentence TEXT NOT NULL,
      reason TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      who VARCHAR(254) NULL
    ) ${wideTable}`,
  ];
}
