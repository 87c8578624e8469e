/**
 * Webhooks.
 *
 * - `webhook_endpoints`: who is told what. `account_id` is '' for the operator's. `events` has a space before and after
 *   each name. `all_orders`: also orders whose caller waits. `previous_secret` signs, too, until `previous_until_ms`.
 * - `webhook_messages`: the outbox, a row for each event and endpoint, written with what it tells of. Rows of one object
 *   are sent in the order of `seq`. `next_at_ms`: when it is tried (again), null when that is over. `first_at_ms`: when it
 *   was tried first.
 * - `webhook_prices`: the levels that an endpoint watches; `above` is null until the level was first compared.
 * - `webhook_pods`: what the operator's endpoints were told of each pod.
 * - `accounts.webhooks`: what some endpoint of the account wants to know, as the bits of `webhooks/event.ts`. The journal
 *   reads it with the balance, so an account without endpoints costs nothing.
 * - `api_keys.budget_told_from_ms`: the period of its budget of which it was told that it is spent; null for none.
 */
import type { Migration } from './migration.ts';

export const webhooks: Migration = {
  id: '0056_webhooks',
  statements: (dialect) => [
    'ALTER TABLE accounts ADD COLUMN webhooks SMALLINT NOT NULL DEFAULT 0',
    'ALTER TABLE api_keys ADD COLUMN budget_told_from_ms BIGINT NULL',
    `CREATE TABLE IF NOT EXISTS webhook_endpoints (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      url VARCHAR(2048) NOT NULL,
      description VARCHAR(255) NOT NULL,
      events VARCHAR(512) NOT NULL,
      all_orders SMALLINT NOT NULL,
      secret VARCHAR(64) NOT NULL,
      previous_secret VARCHAR(64) NULL,
      previous_until_ms BIGINT NULL,
      enabled SMALLINT NOT NULL,
      disabled_reason VARCHAR(255) NULL,
      disabled_at_ms BIGINT NULL,
      created_at_ms BIGINT NOT NULL
    ) ${dialect.wideTable}`,
    'CREATE INDEX webhook_endpoints_by_account ON webhook_endpoints (account_id)',
    `CREATE TABLE IF NOT EXISTS webhook_messages (
      seq ${dialect.serialKey},
      endpoint_id VARCHAR(64) NOT NULL,
      event_id VARCHAR(160) NOT NULL,
      type VARCHAR(32) NOT NULL,
      object_id VARCHAR(255) NOT NULL,
      body TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      attempts INT NOT NULL DEFAULT 0,
      first_at_ms BIGINT NULL,
      next_at_ms BIGINT NULL,
      last_at_ms BIGINT NULL,
      last_status INT NULL,
      last_error VARCHAR(255) NULL,
      delivered_at_ms BIGINT NULL
    ) ${dialect.wideTable}`,
    'CREATE INDEX webhook_messages_by_endpoint ON webhook_messages (endpoint_id, seq)',
    `CREATE INDEX webhook_messages_due ON webhook_messages (endpoint_id, next_at_ms)${dialect.whereNotNull('next_at_ms')}`,
    `CREATE INDEX webhook_messages_by_object ON webhook_messages (endpoint_id, object_id, next_at_ms)${dialect.whereNotNull('next_at_ms')}`,
    `CREATE TABLE IF NOT EXISTS webhook_prices (
      endpoint_id VARCHAR(64) NOT NULL,
      model VARCHAR(255) NOT NULL,
      price BIGINT NOT NULL,
      above SMALLINT NULL,
      PRIMARY KEY (endpoint_id, model, price)
    ) ${dialect.clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS webhook_pods (
      pod VARCHAR(255) NOT NULL PRIMARY KEY,
      up SMALLINT NOT NULL
    ) ${dialect.clusteredTable}`,
  ],
};
