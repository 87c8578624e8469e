/**
 * Budgets, expiry, allowed models and rotation of keys, and usage by key.
 *
 * - `api_keys.budget`: null for none. The period that began at `budget_from_ms` has had charges of `budget_spent`, and
 *   its running orders hold `budget_held`. They are changed in the transactions that change the account's balance.
 * - `api_keys.models`: the ids of those that the key may use, as JSON; null for all.
 * - `api_keys.previous_hash`: the secret that it had before it was rotated, and until when that is accepted.
 * - `orders.budget_from_ms`: the period of its key's budget in which it was admitted last; null when the key had none
 *   when it was submitted, 0 while it has never run.
 * - `batches.key_models`, `key_budgeted`: both as they were when the batch was created.
 * - `usage_days`: now by key, too; '' for orders of none. It is filled anew from the records that it sums.
 */
import { DAY_MS } from '#base/time.ts';
import type { Migration } from './migration.ts';

export const keyBudgets: Migration = {
  id: '0022_key_budgets',
  statements: (dialect) => [
    'ALTER TABLE api_keys ADD COLUMN budget BIGINT NULL',
    "ALTER TABLE api_keys ADD COLUMN budget_reset VARCHAR(8) NOT NULL DEFAULT 'never'",
    'ALTER TABLE api_keys ADD COLUMN budget_from_ms BIGINT NOT NULL DEFAULT 0',
    'ALTER TABLE api_keys ADD COLUMN budget_spent BIGINT NOT NULL DEFAULT 0',
    'ALTER TABLE api_keys ADD COLUMN budget_held BIGINT NOT NULL DEFAULT 0',
    'ALTER TABLE api_keys ADD COLUMN expires_at_ms BIGINT NULL',
    'ALTER TABLE api_keys ADD COLUMN models TEXT NULL',
    'ALTER TABLE api_keys ADD COLUMN previous_hash CHAR(64) NULL',
    'ALTER TABLE api_keys ADD COLUMN previous_until_ms BIGINT NULL',
    'CREATE UNIQUE INDEX api_keys_by_previous_hash ON api_keys (previous_hash)',
    'ALTER TABLE orders ADD COLUMN budget_from_ms BIGINT NULL',
    'ALTER TABLE batches ADD COLUMN key_models TEXT NULL',
    'ALTER TABLE batches ADD COLUMN key_budgeted SMALLINT NOT NULL DEFAULT 0',
    // On MySQL any step may run a second time.
    'DROP TABLE IF EXISTS usage_days',
    `CREATE TABLE usage_days (
      account_id VARCHAR(64) NOT NULL,
      day INT NOT NULL,
      model VARCHAR(255) NOT NULL,
      key_id VARCHAR(64) NOT NULL,
      requests BIGINT NOT NULL,
      charged BIGINT NOT NULL,
      PRIMARY KEY (account_id, day, model, key_id)
    ) ${dialect.clusteredTable}`,
    `INSERT INTO usage_days
     SELECT usage_records.account_id, (usage_records.created_at_ms - usage_records.created_at_ms % ${DAY_MS}) / ${DAY_MS},
       usage_records.model, COALESCE(orders.key_id, ''), COUNT(*), SUM(charged - refunded)
     FROM usage_records LEFT JOIN orders ON orders.id = usage_records.order_id
     GROUP BY 1, 2, 3, 4`,
  ],
};
