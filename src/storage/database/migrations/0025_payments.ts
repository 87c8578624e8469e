/**
 * Payments by card, and what was taken back of them.
 *
 * - `payments`: one per checkout. `credited_by` is the event that credited it, `intent` the provider's id of the money.
 * - `payment_events`: every event that was handled, with what came of it; an event that is here does nothing again.
 * - `payment_reversals`: refunds and disputes, by the provider's id. `entered` is what entries have taken from the balance
 *   so far, `owed` what is still to be taken. `account_id` is null until the payment with this intent is known.
 * - `accounts.owed`: the sum of `owed`. No hold is granted from it: a balance cannot be below 0, and this is the part
 *   that would be.
 */
import type { Migration } from './migration.ts';

export const payments: Migration = {
  id: '0025_payments',
  statements: (dialect) => [
    'ALTER TABLE accounts ADD COLUMN owed BIGINT NOT NULL DEFAULT 0',
    `CREATE TABLE IF NOT EXISTS payments (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      account_id VARCHAR(64) NOT NULL,
      provider VARCHAR(16) NOT NULL,
      status VARCHAR(16) NOT NULL,
      amount BIGINT NOT NULL,
      session_id VARCHAR(255) NULL,
      intent VARCHAR(255) NULL,
      credited_by VARCHAR(255) NULL,
      created_at_ms BIGINT NOT NULL,
      paid_at_ms BIGINT NULL,
      CONSTRAINT payments_amount CHECK (amount > 0)
    ) ${dialect.clusteredTable}`,
    'CREATE INDEX payments_by_account ON payments (account_id, created_at_ms)',
    'CREATE INDEX payments_by_intent ON payments (intent)',
    `CREATE TABLE IF NOT EXISTS payment_events (
      event_id VARCHAR(255) NOT NULL PRIMARY KEY,
      type VARCHAR(64) NOT NULL,
      subject VARCHAR(255) NOT NULL,
      outcome VARCHAR(16) NOT NULL,
      reason VARCHAR(1000) NULL,
      created_at_ms BIGINT NOT NULL
    ) ${dialect.clusteredTable}`,
    'CREATE INDEX payment_events_by_outcome ON payment_events (outcome, created_at_ms)',
    `CREATE TABLE IF NOT EXISTS payment_reversals (
      id VARCHAR(255) NOT NULL PRIMARY KEY,
      intent VARCHAR(255) NOT NULL,
      account_id VARCHAR(64) NULL,
      kind VARCHAR(16) NOT NULL,
      state VARCHAR(16) NOT NULL,
      amount BIGINT NOT NULL,
      entered BIGINT NOT NULL,
      owed BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      CONSTRAINT reversals_money CHECK (amount > 0 AND entered >= 0 AND owed >= 0 AND entered + owed <= amount)
    ) ${dialect.clusteredTable}`,
    'CREATE INDEX payment_reversals_by_intent ON payment_reversals (intent)',
    'CREATE INDEX payment_reversals_by_account ON payment_reversals (account_id)',
    'CREATE INDEX payment_reversals_by_owed ON payment_reversals (owed)',
  ],
};
