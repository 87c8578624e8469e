/**
 * Alerts. `bound` is in nano-dollars, and of a share in billionths. `firing` is 1 from the message that the condition holds to the
 * message that it is over, and `since_ms` when that changed last or was first found. `recovering_since_ms` is null unless the condition of a
 * firing alert does not hold.
 */
import type { Migration } from './migration.ts';

/** Adds the table. */
export const alertRules: Migration = {
  id: '0076_alert_rules',
  statements: ({ clusteredTable }) => [
    `CREATE TABLE IF NOT EXISTS alert_rules (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      endpoint_id VARCHAR(64) NOT NULL,
      subject VARCHAR(8) NOT NULL,
      model VARCHAR(255) NULL,
      key_id VARCHAR(64) NULL,
      above SMALLINT NOT NULL,
      bound BIGINT NOT NULL,
      paused SMALLINT NOT NULL,
      firing SMALLINT NOT NULL,
      since_ms BIGINT NULL,
      recovering_since_ms BIGINT NULL,
      created_at_ms BIGINT NOT NULL
    ) ${clusteredTable}`,
    'CREATE INDEX alert_rules_by_account ON alert_rules (account_id, id)',
    'CREATE INDEX alert_rules_by_endpoint ON alert_rules (endpoint_id)',
    'CREATE INDEX alert_rules_watched ON alert_rules (subject, paused, id)',
  ],
};
