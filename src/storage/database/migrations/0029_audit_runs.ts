/**
 * Audits that a gateway ran: who began them, and what they found.
 *
 * - `audit_runs`: one that has neither ended nor beaten for a minute belongs to a gateway that is gone. `result_json` is
 *   null while it runs, and when it failed. Old rows are deleted.
 * - `audit_acknowledgements.who` is null for those of the command line.
 */
import type { Migration } from './migration.ts';

export const auditRuns: Migration = {
  id: '0029_audit_runs',
  statements: (dialect) => [
    'ALTER TABLE audit_acknowledgements ADD COLUMN who VARCHAR(254) NULL',
    `CREATE TABLE IF NOT EXISTS audit_runs (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      who VARCHAR(254) NOT NULL,
      started_at_ms BIGINT NOT NULL,
      beat_at_ms BIGINT NOT NULL,
      ended_at_ms BIGINT NULL,
      result_json ${dialect.longText} NULL
    ) ${dialect.wideTable}`,
  ],
};
