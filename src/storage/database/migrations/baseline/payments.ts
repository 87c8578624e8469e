/**
 * Payments by card.
 *
 * - `payments`: one per checkout. `credited_by` is the event that credited it, `intent` the provider's id of the money.
 *   The gateway began it if `automatic`.
 * - `payment_events`: every handled event with its outcome. A repeated event changes nothing.
 * - `payment_reversals`: refunds and disputes, by the provider's id. Entries have taken `entered` from the balance so far,
 *   and `owed` is still to be taken. `account_id` is null until the payment with this intent is known.
 * - `top_ups`: automatic top-up as the owner of the account set it, the card at the provider, and the payment under way.
 *   `card_from_ms` is the start of the payment that saved the card: events of earlier ones change nothing. No payment
 *   begins before `next_at_ms`. `accepted` means that the provider accepted the payment.
 */
import type { Dialect } from '../../dialects/dialect.ts';

/** The statements that create these tables. */
export function paymentTables(dialect: Dialect): readonly string[] {
  return [...payments(dialect), ...reversals(dialect), ...topUps(dialect)];
}

function payments({ clusteredTable }: Dialect): readonly string[] {
  return [
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
      automatic SMALLINT NOT NULL DEFAULT 0,
      CONSTRAINT payments_amount CHECK (amount > 0)
    ) ${clusteredTable}`,
    'CREATE INDEX payments_by_account ON payments (account_id, created_at_ms)',
    'CREATE INDEX payments_by_intent ON payments (intent)',
    `CREATE TABLE IF NOT EXISTS payment_events (
      event_id VARCHAR(255) NOT NULL PRIMARY KEY,
      type VARCHAR(64) NOT NULL,
      subject VARCHAR(255) NOT NULL,
      outcome VARCHAR(16) NOT NULL,
      reason VARCHAR(1000) NULL,
      created_at_ms BIGINT NOT NULL
    ) ${clusteredTable}`,
    'CREATE INDEX payment_events_by_outcome ON payment_events (outcome, created_at_ms)',
  ];
}

function reversals({ clusteredTable }: Dialect): readonly string[] {
  return [
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
    ) ${clusteredTable}`,
    'CREATE INDEX payment_reversals_by_intent ON payment_reversals (intent)',
    'CREATE INDEX payment_reversals_by_account ON payment_reversals (account_id)',
    'CREATE INDEX payment_reversals_by_owed ON payment_reversals (owed)',
  ];
}

function topUps({ wideTable }: Dialect): readonly string[] {
  return [
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
    ) ${wideTable}`,
    'CREATE INDEX top_ups_by_enabled ON top_ups (enabled, account_id)',
  ];
}
