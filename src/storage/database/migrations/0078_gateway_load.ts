/**
 * What each gateway did in each minute and each quarter of an hour, for the charts of the operator; `run_hours` has the times
 * by model. `looks` counts how often the gateway looked at itself; `queued`, `busy_slots` and `slots` are sums over them.
 * `pods` is JSON. `gateway_runs.version` is null for runs of before.
 */
import type { Migration } from './migration.ts';

/** Adds the table, the column, and indexes by which changes of one kind and open payments are found. */
export const gatewayLoad: Migration = {
  id: '0078_gateway_load',
  statements: ({ wideTable, longText }) => [
    `CREATE TABLE IF NOT EXISTS gateway_load (
      width_ms INT NOT NULL,
      at_ms BIGINT NOT NULL,
      boot BIGINT NOT NULL,
      looks BIGINT NOT NULL,
      queued BIGINT NOT NULL,
      busy_slots BIGINT NOT NULL,
      slots BIGINT NOT NULL,
      failed BIGINT NOT NULL,
      charged BIGINT NOT NULL,
      first_tokens BLOB NOT NULL,
      pods ${longText} NOT NULL,
      PRIMARY KEY (width_ms, at_ms, boot)
    ) ${wideTable}`,
    'ALTER TABLE gateway_runs ADD COLUMN version VARCHAR(64) NULL',
    'CREATE INDEX audit_log_by_what ON audit_log (what, at_ms)',
    'CREATE INDEX payments_by_status ON payments (status, created_at_ms)',
  ],
};
