/**
 * The first tables. Times are epoch milliseconds, money is nano-dollars, prices are nano-dollars per 1M input tokens.
 *
 * - `orders`: listed by (account, created), counted and recovered by (status, account). Ids are UUIDv7, so inserts
 *   append. A tariff has no table: its id spells its content. A settled order should touch few pages, so where the
 *   database can, the orders that are done are in no index by status: they are most of the table.
 * - `entries`: append-only; (account, unique_key) makes a repeated charge or top-up impossible.
 * - `usage_records`: one per settled order, kept in the order of the usage list. `charged` is what was debited, `refunded` what was given back since.
 * - `usage_days`: the same, net, summed by account, UTC day and model in the settling transaction.
 * - `markets`: the newest level of each model, kept beside the history so that a start reads no history.
 *
 * The checks on accounts are the last line of defence for a balance that parallel requests try to drive below zero.
 */
import type { Migration } from './migration.ts';

export const foundation: Migration = {
  id: '0001_foundation',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS accounts (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      name VARCHAR(255) NOT NULL,
      status VARCHAR(16) NOT NULL,
      balance BIGINT NOT NULL,
      held BIGINT NOT NULL,
      price_limits TEXT NOT NULL,
      price_lock SMALLINT NOT NULL,
      order_timeout_s INT NOT NULL,
      retention_days INT NOT NULL,
      log_payloads SMALLINT NOT NULL,
      house SMALLINT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      CONSTRAINT accounts_money CHECK (balance >= 0 AND held >= 0 AND held <= balance)
    ) ${dialect.clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS api_keys (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      hash CHAR(64) NOT NULL,
      name VARCHAR(255) NOT NULL,
      hint VARCHAR(32) NOT NULL,
      price_limits TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      revoked_at_ms BIGINT NULL
    ) ${dialect.clusteredTable}`,
    'CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (hash)',
    'CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at_ms)',
    `CREATE TABLE IF NOT EXISTS entries (
      account_id VARCHAR(64) NOT NULL,
      unique_key VARCHAR(300) NOT NULL,
      id VARCHAR(64) NOT NULL,
      kind VARCHAR(16) NOT NULL,
      amount BIGINT NOT NULL,
      order_id VARCHAR(36) NULL,
      reason VARCHAR(1000) NULL,
      created_at_ms BIGINT NOT NULL,
      PRIMARY KEY (account_id, unique_key)
    ) ${dialect.clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS orders (
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
      custom_id TEXT NULL,
      prompt_bound BIGINT NOT NULL,
      prompt_estimate BIGINT NOT NULL,
      output_cap BIGINT NOT NULL,
      result_state VARCHAR(16) NOT NULL,
      result_expires_at_ms BIGINT NULL,
      retention_days INT NOT NULL,
      boot_epoch BIGINT NOT NULL
    ) ${dialect.clusteredTable}`,
    'CREATE INDEX orders_by_account ON orders (account_id, created_at_ms, id)',
    ...(dialect.partialIndexes
      ? [
          "CREATE INDEX orders_live ON orders (account_id, created_at_ms) WHERE status IN ('queued', 'executing')",
          "CREATE INDEX orders_failed ON orders (account_id, created_at_ms) WHERE status IN ('error', 'canceled', 'expired')",
        ]
      : ['CREATE INDEX orders_by_status ON orders (status, account_id, created_at_ms)']),
    `CREATE INDEX orders_by_batch ON orders (batch_id, created_at_ms)${dialect.whereNotNull('batch_id')}`,
    `CREATE TABLE IF NOT EXISTS order_bodies (
      order_id VARCHAR(36) NOT NULL PRIMARY KEY,
      body LONGTEXT NOT NULL
    ) ${dialect.wideTable}`,
    `CREATE TABLE IF NOT EXISTS usage_records (
      order_id VARCHAR(36) NOT NULL,
      account_id VARCHAR(64) NOT NULL,
      model VARCHAR(255) NOT NULL,
      created_at_ms BIGINT NOT NULL,
      prompt_tokens BIGINT NOT NULL,
      cached_tokens BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL,
      level_at_execution BIGINT NOT NULL,
      charged BIGINT NOT NULL,
      refunded BIGINT NOT NULL,
      written_off BIGINT NOT NULL,
      at_bid BIGINT NOT NULL,
      estimated SMALLINT NOT NULL,
      pricing VARCHAR(16) NOT NULL,
      PRIMARY KEY (account_id, created_at_ms, order_id),
      CONSTRAINT usage_money CHECK (charged >= 0 AND written_off >= 0 AND refunded >= 0 AND refunded <= charged)
    ) ${dialect.clusteredTable}`,
    'CREATE UNIQUE INDEX usage_by_order ON usage_records (order_id)',
    'CREATE INDEX usage_by_model ON usage_records (account_id, model, created_at_ms, order_id)',
    `CREATE TABLE IF NOT EXISTS usage_days (
      account_id VARCHAR(64) NOT NULL,
      day INT NOT NULL,
      model VARCHAR(255) NOT NULL,
      requests BIGINT NOT NULL,
      charged BIGINT NOT NULL,
      PRIMARY KEY (account_id, day, model)
    ) ${dialect.clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS levels (
      model VARCHAR(255) NOT NULL,
      level_seq BIGINT NOT NULL,
      level BIGINT NOT NULL,
      at_ms BIGINT NOT NULL,
      PRIMARY KEY (model, level_seq)
    ) ${dialect.clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS markets (
      model VARCHAR(255) NOT NULL PRIMARY KEY,
      level_seq BIGINT NOT NULL,
      level BIGINT NOT NULL,
      at_ms BIGINT NOT NULL
    ) ${dialect.clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS idempotency_keys (
      account_id VARCHAR(64) NOT NULL,
      endpoint VARCHAR(32) NOT NULL,
      idempotency_key VARCHAR(255) NOT NULL,
      order_id VARCHAR(36) NOT NULL,
      fingerprint VARCHAR(128) NOT NULL,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT NOT NULL,
      PRIMARY KEY (account_id, endpoint, idempotency_key)
    ) ${dialect.clusteredTable}`,
    'CREATE INDEX idempotency_keys_by_order ON idempotency_keys (order_id)',
    'CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at_ms)',
    `CREATE TABLE IF NOT EXISTS counters (
      name VARCHAR(64) NOT NULL PRIMARY KEY,
      value BIGINT NOT NULL
    ) ${dialect.clusteredTable}`,
  ],
};
