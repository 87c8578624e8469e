/**
 * How probes went.
 *
 * - `probe_buckets`: summed by model and quarter of an hour, so that a month of pooled models is read at once. Failures
 *   are counted and in no time; the pipeline's times are of the probes that ran.
 */
import type { Migration } from './migration.ts';

export const probes: Migration = {
  id: '0008_probes',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS probe_buckets (
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
    ) ${dialect.clusteredTable}`,
  ],
};
