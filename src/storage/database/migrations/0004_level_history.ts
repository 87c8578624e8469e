/**
 * Levels by the minute, and when gateways were up.
 *
 * - `level_minutes`: keyed by boot too, so that a minute around a restart is written by each of the two for its own part.
 * - `gateway_runs`: minutes are recorded until `until_ms`; after a crash the next start moves it to the last sign of life.
 * - `levels_by_time`: single changes are read by time and swept by time.
 */
import type { Migration } from './migration.ts';

export const levelHistory: Migration = {
  id: '0004_level_history',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS level_minutes (
      model VARCHAR(255) NOT NULL,
      minute_ms BIGINT NOT NULL,
      boot BIGINT NOT NULL,
      open BIGINT NOT NULL,
      high BIGINT NOT NULL,
      low BIGINT NOT NULL,
      close BIGINT NOT NULL,
      mean BIGINT NOT NULL,
      covered_ms INT NOT NULL,
      PRIMARY KEY (model, minute_ms, boot)
    ) ${dialect.clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS gateway_runs (
      boot BIGINT NOT NULL PRIMARY KEY,
      from_ms BIGINT NOT NULL,
      until_ms BIGINT NOT NULL
    ) ${dialect.clusteredTable}`,
    'CREATE INDEX levels_by_time ON levels (model, at_ms)',
  ],
};
