/**
 * Where alerts go: endpoints of Slack and of mail beside webhooks. `url` of mail is the address, and `secret` is in the link of its
 * mails; `confirmed` is 0 until somebody follows it, and again after the mails were stopped. `mail_requests` has when an
 * address was last asked to confirm, and by which account ('' for the operator), for a day.
 */
import type { Migration } from './migration.ts';

/** Adds the columns and the table. */
export const alertTargets: Migration = {
  id: '0075_alert_targets',
  statements: ({ clusteredTable }) => [
    "ALTER TABLE webhook_endpoints ADD COLUMN channel VARCHAR(8) NOT NULL DEFAULT 'webhook'",
    'ALTER TABLE webhook_endpoints ADD COLUMN confirmed SMALLINT NOT NULL DEFAULT 1',
    `CREATE TABLE IF NOT EXISTS mail_requests (
      address VARCHAR(254) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      at_ms BIGINT NOT NULL
    ) ${clusteredTable}`,
    'CREATE INDEX mail_requests_by_account ON mail_requests (account_id, at_ms)',
  ],
};
