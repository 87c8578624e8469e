/**
 * How long runs took.
 *
 * - `run_hours`: by model and hour, what each boot counted; `counts` as in `observe/run-counts.ts`. Keyed by boot, so that
 *   a row is written whole and again, and several gateways add up.
 */
import type { Migration } from './migration.ts';

export const runHours: Migration = {
  id: '0024_run_hours',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS run_hours (
      model VARCHAR(255) NOT NULL,
      bucket_ms BIGINT NOT NULL,
      boot BIGINT NOT NULL,
      counts BLOB NOT NULL,
      PRIMARY KEY (model, bucket_ms, boot)
    ) ${dialect.clusteredTable}`,
  ],
};
