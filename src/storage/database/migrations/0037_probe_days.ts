/**
 * How probes went by UTC day, for the 90 days of the status page: a row for each model and day, so that a quarter of a
 * year is read as fast as a day. Begins with the days that `probe_buckets` still has.
 */
import { DAY_MS } from '#base/time.ts';
import type { Migration } from './migration.ts';

const FIGURES = ['total', 'failures', 'done', 'ms_max', 'queue_ms', 'queue_ms_max', 'pipeline_ms', 'pipeline_ms_max'];
const day = `bucket_ms - bucket_ms % ${DAY_MS}`;
const sums = FIGURES.map((name) => `${name.endsWith('_max') ? 'MAX' : 'SUM'}(${name})`);

export const probeDays: Migration = {
  id: '0037_probe_days',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS probe_days (
      model VARCHAR(255) NOT NULL,
      bucket_ms BIGINT NOT NULL,
      ${FIGURES.map((name) => `${name} BIGINT NOT NULL`).join(', ')},
      PRIMARY KEY (model, bucket_ms)
    ) ${dialect.clusteredTable}`,
    // On MySQL this step may run a second time.
    'DELETE FROM probe_days',
    `INSERT INTO probe_days (model, bucket_ms, ${FIGURES.join(', ')})
     SELECT model, ${day}, ${sums.join(', ')} FROM probe_buckets GROUP BY model, ${day}`,
  ],
};
