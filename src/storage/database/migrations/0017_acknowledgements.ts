/** Findings of the audit that the operator has explained. Rows are only added. */
import type { Migration } from './migration.ts';

export const acknowledgements: Migration = {
  id: '0017_acknowledgements',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS audit_acknowledgements (
      finding VARCHAR(16) NOT NULL PRIMARY KEY,
      sentence TEXT NOT NULL,
      reason TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL
    ) ${dialect.wideTable}`,
  ],
};
