/**
 * Accounts, their keys and their money. Times are epoch milliseconds, amounts nano-dollars.
 *
 * - `accounts`: `owed` is the sum of `payment_reversals.owed`; holds are not granted from it. `stored_bytes` is the size of
 *   all stored results and files. `webhooks` are the events that some endpoint of the account receives, as the bits of
 *   `storage/journal/webhook-event.ts`: the journal reads them with the balance, so an account without endpoints costs nothing. The
 *   check is the last defense of a balance that parallel requests try to drive below zero.
 * - `api_keys`: `budget` is null for none. The period that began at `budget_from_ms` has charges of `budget_spent`, and
 *   running orders hold `budget_held` of it; `budget_told_from_ms` is the period for which the event "budget spent" was
 *   sent. `models` is a JSON array of model ids, null for all. `previous_hash` belongs to the secret before a rotation.
 * - `entries`: rows are only added. The primary key makes a repeated charge or top-up impossible.
 * - `transfers`: the entries that are no charges, by time. Charges are in that order in `usage_records`. An index over
 *   all entries would make every settlement slower. The house has no rows here. `charged_day` is the UTC day of the
 *   charge that a refund belongs to: `usage_days` is net of refunds.
 * - `usage_records`: one row per settled order, in the order of the usage list. `charged` was debited, `refunded` was
 *   given back since.
 * - `usage_days`: the same, net of refunds, summed in the settling transaction. `key_id` is '' for orders without a key.
 * - `balance_alerts`: `crossed_at_ms` is null while the balance is not below `below`.
 */
import type { Dialect } from '../../dialects/dialect.ts';

/** The statements that create these tables. */
export function ledgerTables(dialect: Dialect): readonly string[] {
  return [...accountTables(dialect), ...entryTables(dialect), ...usageTables(dialect)];
}

function accountTables({ clusteredTable }: Dialect): readonly string[] {
  return [
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
      stored_bytes BIGINT NOT NULL DEFAULT 0,
      owed BIGINT NOT NULL DEFAULT 0,
      webhooks SMALLINT NOT NULL DEFAULT 0,
      CONSTRAINT accounts_money CHECK (balance >= 0 AND held >= 0 AND held <= balance)
    ) ${clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS api_keys (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      hash CHAR(64) NOT NULL,
      name VARCHAR(255) NOT NULL,
      hint VARCHAR(32) NOT NULL,
      price_limits TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      revoked_at_ms BIGINT NULL,
      budget BIGINT NULL,
      budget_reset VARCHAR(8) NOT NULL DEFAULT 'never',
      budget_from_ms BIGINT NOT NULL DEFAULT 0,
      budget_spent BIGINT NOT NULL DEFAULT 0,
      budget_held BIGINT NOT NULL DEFAULT 0,
      expires_at_ms BIGINT NULL,
      models TEXT NULL,
      previous_hash CHAR(64) NULL,
      previous_until_ms BIGINT NULL,
      budget_told_from_ms BIGINT NULL
    ) ${clusteredTable}`,
    'CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (hash)',
    'CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at_ms)',
    'CREATE UNIQUE INDEX api_keys_by_previous_hash ON api_keys (previous_hash)',
  ];
}

function entryTables({ clusteredTable }: Dialect): readonly string[] {
  return [
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
    ) ${clusteredTable}`,
    `CREATE TABLE IF NOT EXISTS transfers (
      account_id VARCHAR(64) NOT NULL,
      created_at_ms BIGINT NOT NULL,
      id VARCHAR(64) NOT NULL,
      unique_key VARCHAR(300) NOT NULL,
      charged_day INT NULL,
      PRIMARY KEY (account_id, created_at_ms, id)
    ) ${clusteredTable}`,
    'CREATE INDEX transfers_by_charge ON transfers (account_id, charged_day)',
    'CREATE INDEX transfers_by_time ON transfers (created_at_ms, id)',
    `CREATE TABLE IF NOT EXISTS balance_alerts (
      account_id VARCHAR(64) NOT NULL,
      below BIGINT NOT NULL,
      crossed_at_ms BIGINT NULL,
      PRIMARY KEY (account_id, below)
    ) ${clusteredTable}`,
  ];
}

function usageTables({ clusteredTable }: Dialect): readonly string[] {
  return [
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
    ) ${clusteredTable}`,
    'CREATE UNIQUE INDEX usage_by_order ON usage_records (order_id)',
    'CREATE INDEX usage_by_model ON usage_records (account_id, model, created_at_ms, order_id)',
    `CREATE TABLE IF NOT EXISTS usage_days (
      account_id VARCHAR(64) NOT NULL,
      day INT NOT NULL,
      model VARCHAR(255) NOT NULL,
      key_id VARCHAR(64) NOT NULL,
      requests BIGINT NOT NULL,
      charged BIGINT NOT NULL,
      PRIMARY KEY (account_id, day, model, key_id)
    ) ${clusteredTable}`,
  ];
}
