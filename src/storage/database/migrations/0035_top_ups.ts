/**
 * Automatic top-up.
 *
 * - `top_ups`: what the owner of an account decided, its card at the provider, and the payment under way. `card_from_ms` is
 *   when the payment began with which the card was saved: news of an earlier one change nothing. Nothing is done before
 *   `next_at_ms`; `accepted` says that the provider took the payment on.
 * - `payments.automatic`: begun by the gateway.
 */
import type { Migration } from './migration.ts';

export const topUps: Migration = {
  id: '0035_top_ups',
  statements: (dialect) => [
    'ALTER TABLE payments ADD COLUMN automatic SMALLINT NOT NULL DEFAULT 0',
    `CREATE TABLE IF NOT EXISTS top_ups (
      account_id VARCHAR(64) NOT NULL PRIMARY KEY,
      enabled SMALLINT NOT NULL,
      threshold BIGINT NOT NULL,
      amount BIGINT NOT NULL,
      per_day_max INT NOT NULL,
      month_max BIGINT NOT NULL,
      customer VARCHAR(255) NULL,
      method VARCHAR(255) NULL,
      card_from_ms BIGINT NOT NULL DEFAULT 0,
      payment_id VARCHAR(64) NULL,
      accepted SMALLINT NOT NULL DEFAULT 0,
      failures INT NOT NULL DEFAULT 0,
      next_at_ms BIGINT NOT NULL DEFAULT 0,
      off_reason VARCHAR(255) NULL,
      off_at_ms BIGINT NULL
    ) ${dialect.wideTable}`,
    'CREATE INDEX top_ups_by_enabled ON top_ups (enabled, account_id)',
  ],
};
