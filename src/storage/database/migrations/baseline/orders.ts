/**
 * Orders, their totals and what is kept of them. Ids are UUIDv7, so inserts append.
 *
 * - `orders`: `tariff_id` spells the whole tariff. `boot_epoch` is the gateway that runs the order. `max_charge` is null
 *   for no bound. `quote_seq` is the quote of a lock. `budget_from_ms` is the period of its key's budget in which the
 *   order was last admitted: null if the key had no budget at submission, 0 until it has run. `deadline_ms` is null
 *   unless the market chooses the bid.
 * - Indexes of `orders`: a settled order should touch few pages. With partial indexes, an order enters `orders_ended` when
 *   it ends and `orders_by_batch` only as a line of a batch. Their conditions have two values, because SQLite builds a
 *   table in memory to check a list of four. Indexes end with the batch, so a list skips orders without reading rows.
 * - `order_days`, `order_hours`: ended orders by UTC day or hour of their creation and by everything that a list can be
 *   filtered by, summed in the transaction that ends them. `charged` is net of refunds. A sum of amounts at bids exceeds
 *   64 bits, so it is kept as dollars and nano-dollars.
 * - `results`: one row per stored body, in the order of eviction. `stored_answers` has the small bodies themselves; larger
 *   ones are files. `downloads` is what an account used of its hourly allowance.
 * - `request_logs`: what was sent to the model, for accounts with `log_payloads`.
 */
import type { Dialect } from '../../dialects/dialect.ts';

/** The statements that create these tables. */
export function orderTables(dialect: Dialect): readonly string[] {
  return [
    ordersTable(dialect),
    ...orderIndexes(dialect),
    ...requestTables(dialect),
    ...totals(dialect),
    ...answers(dialect),
  ];
}

function ordersTable({ clusteredTable, longText }: Dialect): string {
  return `CREATE TABLE IF NOT EXISTS orders (
      id VARCHAR(36) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      key_id VARCHAR(64) NULL,
      kind VARCHAR(16) NOT NULL,
      model VARCHAR(255) NOT NULL,
      status VARCHAR(16) NOT NULL,
      bid BIGINT NOT NULL,
      price_limit BIGINT NULL,
      price_lock SMALLINT NOT NULL,
      quote_at_submission BIGINT NULL,
      tariff_id VARCHAR(128) NOT NULL,
      created_at_ms BIGINT NOT NULL,
      admitted_at_ms BIGINT NULL,
      finished_at_ms BIGINT NULL,
      expires_at_ms BIGINT NOT NULL,
      level_at_execution BIGINT NULL,
      level_seq BIGINT NULL,
      price_cap BIGINT NULL,
      attempt INT NOT NULL,
      failures INT NOT NULL,
      hold BIGINT NOT NULL,
      rested_seq BIGINT NULL,
      pod VARCHAR(255) NULL,
      error VARCHAR(64) NULL,
      error_message TEXT NULL,
      detached SMALLINT NOT NULL,
      outlives SMALLINT NOT NULL,
      house SMALLINT NOT NULL,
      batch_id VARCHAR(64) NULL,
      custom_id ${longText} NULL,
      prompt_bound BIGINT NOT NULL,
      prompt_estimate BIGINT NOT NULL,
      output_cap BIGINT NOT NULL,
      result_state VARCHAR(16) NOT NULL,
      result_expires_at_ms BIGINT NULL,
      retention_days INT NOT NULL,
      boot_epoch BIGINT NOT NULL,
      quote_seq BIGINT NULL,
      budget_from_ms BIGINT NULL,
      max_charge BIGINT NULL,
      deadline_ms BIGINT NULL
    ) ${clusteredTable}`;
}

function orderIndexes({ partialIndexes }: Dialect): readonly string[] {
  const ended = 'CREATE INDEX orders_ended ON orders (account_id, model, kind, status, created_at_ms, id, batch_id)';
  if (partialIndexes) {
    return [
      'CREATE INDEX orders_by_account ON orders (account_id, created_at_ms, id, batch_id)',
      "CREATE INDEX orders_live ON orders (account_id, created_at_ms) WHERE status IN ('queued', 'executing')",
      `${ended} WHERE status NOT IN ('queued', 'executing')`,
      'CREATE INDEX orders_by_batch ON orders (batch_id, created_at_ms) WHERE batch_id IS NOT NULL',
    ];
  }
  return [
    'CREATE INDEX orders_by_account ON orders (account_id, created_at_ms, id)',
    'CREATE INDEX orders_by_status ON orders (status, account_id, created_at_ms, id, batch_id)',
    ended,
    'CREATE INDEX orders_by_batch ON orders (batch_id, account_id, created_at_ms, id, model, kind)',
  ];
}

function requestTables({ clusteredTable, wideTable }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS order_bodies (
      order_id VARCHAR(36) NOT NULL PRIMARY KEY,
      body LONGTEXT NOT NULL
    ) ${wideTable}`,
    `CREATE TABLE IF NOT EXISTS idempotency_keys (
      account_id VARCHAR(64) NOT NULL,
      endpoint VARCHAR(32) NOT NULL,
      idempotency_key VARCHAR(255) NOT NULL,
      order_id VARCHAR(36) NOT NULL,
      fingerprint VARCHAR(128) NOT NULL,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      PRIMARY KEY (account_id, endpoint, idempotency_key)
    ) ${clusteredTable}`,
    'CREATE INDEX idempotency_keys_by_order ON idempotency_keys (order_id)',
    'CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at_ms)',
    `CREATE TABLE IF NOT EXISTS request_logs (
      order_id VARCHAR(36) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      body LONGTEXT NOT NULL,
      expires_at_ms BIGINT NOT NULL
    ) ${wideTable}`,
    'CREATE INDEX request_logs_by_expiry ON request_logs (expires_at_ms)',
    'CREATE INDEX request_logs_by_account ON request_logs (account_id)',
  ];
}

function totals({ clusteredTable }: Dialect): readonly string[] {
  return ['day', 'hour'].map(
    (period) => `CREATE TABLE IF NOT EXISTS order_${period}s (
      account_id VARCHAR(64) NOT NULL,
      ${period} INT NOT NULL,
      model VARCHAR(255) NOT NULL,
      kind VARCHAR(16) NOT NULL,
      status VARCHAR(16) NOT NULL,
      in_batch SMALLINT NOT NULL,
      market SMALLINT NOT NULL,
      orders BIGINT NOT NULL,
      charged BIGINT NOT NULL,
      at_bid_usd BIGINT NOT NULL,
      at_bid_nano BIGINT NOT NULL,
      PRIMARY KEY (account_id, ${period}, model, kind, status, in_batch, market)
    ) ${clusteredTable}`,
  );
}

function answers({ clusteredTable, wideTable }: Dialect): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS results (
      account_id VARCHAR(64) NOT NULL,
      finished_at_ms BIGINT NOT NULL,
      order_id VARCHAR(36) NOT NULL,
      bytes BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      PRIMARY KEY (account_id, finished_at_ms, order_id)
    ) ${clusteredTable}`,
    'CREATE INDEX results_by_expiry ON results (expires_at_ms)',
    `CREATE TABLE IF NOT EXISTS stored_answers (
      order_id VARCHAR(36) NOT NULL PRIMARY KEY,
      body LONGTEXT NOT NULL
    ) ${wideTable}`,
    `CREATE TABLE IF NOT EXISTS downloads (
      account_id VARCHAR(64) NOT NULL PRIMARY KEY,
      used_bytes BIGINT NOT NULL,
      at_ms BIGINT NOT NULL
    ) ${clusteredTable}`,
  ];
}
