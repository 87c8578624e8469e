/**
 * Quotes and the outcomes of locks.
 *
 * - `quotes`: one row for each window of each market, numbered; in force until the next one, at most to `until_ms`.
 * - `quote_states`: the newest quote of each model, with what its market goes on from after a restart.
 * - `lock_minutes`: how many counted locks started and missed in each minute; a day of them makes the clear rate.
 */
import type { Migration } from './migration.ts';

export const quotes: Migration = {
  id: '0002_quotes',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS quotes (
      model VARCHAR(255) NOT NULL,
      quote_seq BIGINT NOT NULL,
      price BIGINT NOT NULL,
      at_ms BIGINT NOT NULL,
      until_ms BIGINT NOT NULL,
      PRIMARY KEY (model, quote_seq)
    ) ${dialect.clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS quote_states (
      model VARCHAR(255) NOT NULL PRIMARY KEY,
      quote_seq BIGINT NOT NULL,
      price BIGINT NOT NULL,
      state TEXT NULL
    ) ${dialect.wideTable}`,
    `CREATE TABLE IF NOT EXISTS lock_minutes (
      model VARCHAR(255) NOT NULL,
      minute_ms BIGINT NOT NULL,
      started BIGINT NOT NULL,
      missed BIGINT NOT NULL,
      PRIMARY KEY (model, minute_ms)
    ) ${dialect.clusteredTable}`,
  ],
};
