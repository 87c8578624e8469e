/**
 * Prices, and statistics by model. Prices are nano-dollars per 1M input tokens.
 *
 * - `levels`: single changes, read and deleted by time. `markets` has the newest of each model, so a start reads no
 *   history. `hash` of levels and quotes chains each row to the one before; null in rows that are in no chain.
 * - `level_blocks`: levels of sixty slots, of every width that a chart has, keyed by boot; `market/data/level-chart.ts`.
 *   `gateway_runs.in_blocks` is 0 for runs that recorded none. After a crash, the next start moves `until_ms` to the last
 *   sign of life.
 * - `quotes`: one row per window of a market, in force until the next one, at most to `until_ms`. `quote_states` has the
 *   newest with what its market needs after a restart: more than 64 KiB with 500 accounts.
 * - `lock_minutes`: counted locks that started and missed in each minute. The scarce ones had a quote above the lowest
 *   level.
 * - `model_tokens`: settled orders of customers by quarter of an hour, summed in the settling transaction; `earned` is net
 *   of refunds.
 * - `run_hours`: durations of runs by hour and boot, `observe/run-counts.ts`. A boot writes its rows whole, again.
 * - `probe_buckets`, `probe_days`: outcomes of probes by quarter of an hour and by UTC day. A failed probe counts in no
 *   time; the times of the pipeline are those of probes that ran.
 */
import type { Dialect } from '../../dialects/dialect.ts';

/** The statements that create these tables. */
export function marketTables(dialect: Dialect): readonly string[] {
  return [...levels(dialect), ...quotes(dialect), ...statistics(dialect), ...probes(dialect)];
}

function levels({ clusteredTable, wideTable }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS levels (
      model VARCHAR(255) NOT NULL,
      level_seq BIGINT NOT NULL,
      level BIGINT NOT NULL,
      at_ms BIGINT NOT NULL,
      hash VARCHAR(43) NULL,
      PRIMARY KEY (model, level_seq)
    ) ${clusteredTable}`,
    'CREATE INDEX levels_by_time ON levels (model, at_ms)',
    `CREATE TABLE IF NOT EXISTS markets (
      model VARCHAR(255) NOT NULL PRIMARY KEY,
      level_seq BIGINT NOT NULL,
      level BIGINT NOT NULL,
      at_ms BIGINT NOT NULL
    ) ${clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS level_blocks (
      model VARCHAR(255) NOT NULL,
      width_ms INT NOT NULL,
      from_ms BIGINT NOT NULL,
      boot BIGINT NOT NULL,
      slots BLOB NOT NULL,
      PRIMARY KEY (model, width_ms, from_ms, boot)
    ) ${wideTable}`,
    `CREATE TABLE IF NOT EXISTS gateway_runs (
      boot BIGINT NOT NULL PRIMARY KEY,
      from_ms BIGINT NOT NULL,
      until_ms BIGINT NOT NULL,
      in_blocks SMALLINT NOT NULL DEFAULT 0
    ) ${clusteredTable}`,
  ];
}

function quotes({ clusteredTable, wideTable, longText }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS quotes (
      model VARCHAR(255) NOT NULL,
      quote_seq BIGINT NOT NULL,
      price BIGINT NOT NULL,
      at_ms BIGINT NOT NULL,
      until_ms BIGINT NOT NULL,
      hash VARCHAR(43) NULL,
      PRIMARY KEY (model, quote_seq)
    ) ${clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS quote_states (
      model VARCHAR(255) NOT NULL PRIMARY KEY,
      quote_seq BIGINT NOT NULL,
      price BIGINT NOT NULL,
      state ${longText} NULL
    ) ${wideTable}`,
    `CREATE TABLE IF NOT EXISTS lock_minutes (
      model VARCHAR(255) NOT NULL,
      minute_ms BIGINT NOT NULL,
      started BIGINT NOT NULL,
      missed BIGINT NOT NULL,
      scarce_started BIGINT NOT NULL DEFAULT 0,
      scarce_missed BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (model, minute_ms)
    ) ${clusteredTable}`,
  ];
}

function statistics({ clusteredTable }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS model_tokens (
      model VARCHAR(255) NOT NULL,
      bucket_ms BIGINT NOT NULL,
      uncached_tokens BIGINT NOT NULL,
      cached_tokens BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL,
      requests BIGINT NOT NULL,
      earned BIGINT NOT NULL,
      PRIMARY KEY (model, bucket_ms)
    ) ${clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS run_hours (
      model VARCHAR(255) NOT NULL,
      bucket_ms BIGINT NOT NULL,
      boot BIGINT NOT NULL,
      counts BLOB NOT NULL,
      PRIMARY KEY (model, bucket_ms, boot)
    ) ${clusteredTable}`,
  ];
}

function probes({ clusteredTable }: Dialect): readonly string[] {
  return ['probe_buckets', 'probe_days'].map(
    (table) => `CREATE TABLE IF NOT EXISTS ${table} (
      model VARCHAR(255) NOT NULL,
      bucket_ms BIGINT NOT NULL,
      total BIGINT NOT NULL,
      failures BIGINT NOT NULL,
      done BIGINT NOT NULL,
      ms_max BIGINT NOT NULL,
      queue_ms BIGINT NOT NULL,
      queue_ms_max BIGINT NOT NULL,
      pipeline_ms BIGINT NOT NULL,
      pipeline_ms_max BIGINT NOT NULL,
      PRIMARY KEY (model, bucket_ms)
    ) ${clusteredTable}`,
  );
}
