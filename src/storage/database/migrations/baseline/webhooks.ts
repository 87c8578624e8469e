/**
 * Webhooks.
 *
 * - `webhook_endpoints`: `account_id` is '' for the operator's. `events` has a space before and after each name.
 *   `all_orders` includes orders whose caller waits. `previous_secret` also signs until `previous_until_ms`.
 * - `webhook_messages`: the outbox, one row per event and endpoint, written in the transaction that the event reports. Rows
 *   of one object are sent in the order of `seq`. `next_at_ms` is the time of the next attempt, null when none follows.
 * - `webhook_prices`: the levels that an endpoint watches; `above` is null until the first comparison.
 * - `webhook_pods`: the state of each pod that the operator's endpoints received last.
 */
import type { Dialect } from '../../dialects/dialect.ts';

/** The statements that create these tables. */
export function webhookTables(dialect: Dialect): readonly string[] {
  return [...endpoints(dialect), ...messages(dialect)];
}

function endpoints({ clusteredTable, wideTable }: Dialect): readonly string[] {
  return [
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
    ) ${wideTable}`,
    'CREATE INDEX webhook_endpoints_by_account ON webhook_endpoints (account_id)',
    `CREATE TABLE IF NOT EXISTS webhook_prices (
      endpoint_id VARCHAR(64) NOT NULL,
      model VARCHAR(255) NOT NULL,
      price BIGINT NOT NULL,
      above SMALLINT NULL,
      PRIMARY KEY (endpoint_id, model, price)
    ) ${clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS webhook_pods (
      pod VARCHAR(255) NOT NULL PRIMARY KEY,
      up SMALLINT NOT NULL
    ) ${clusteredTable}`,
  ];
}

function messages({ serialKey, wideTable, whereNotNull }: Dialect): readonly string[] {
  const due = whereNotNull('next_at_ms');
  return [
    `CREATE TABLE IF NOT EXISTS webhook_messages (
      seq ${serialKey},
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
    ) ${wideTable}`,
    'CREATE INDEX webhook_messages_by_endpoint ON webhook_messages (endpoint_id, seq)',
    `CREATE INDEX webhook_messages_due ON webhook_messages (endpoint_id, next_at_ms)${due}`,
    `CREATE INDEX webhook_messages_by_object ON webhook_messages (endpoint_id, object_id, next_at_ms)${due}`,
  ];
}
