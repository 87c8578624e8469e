/**
 * The entries of an account that are no charges, in the order of time: top-ups, refunds and reversals. Charges are in that
 * order in `usage_records` already, so an index over all entries, which every settlement would pay for, is not needed.
 *
 * - `charged_day`: of a refund of an order the UTC day of its charge. `usage_days` is net of refunds; what it had before is
 *   its sum and the refunds of that day.
 * - The house has no rows here: each of its charges has a top-up, and nobody reads its books.
 */
import { DAY_MS } from '#base/time.ts';
import type { Migration } from './migration.ts';

export const transfers: Migration = {
  id: '0033_transfers',
  statements: (dialect) => [
    // On MySQL any step may run a second time.
    'DROP TABLE IF EXISTS transfers',
    `CREATE TABLE transfers (
      account_id VARCHAR(64) NOT NULL,
      created_at_ms BIGINT NOT NULL,
      id VARCHAR(64) NOT NULL,
      unique_key VARCHAR(300) NOT NULL,
      charged_day INT NULL,
      PRIMARY KEY (account_id, created_at_ms, id)
    ) ${dialect.clusteredTable}`,
    'CREATE INDEX transfers_by_charge ON transfers (account_id, charged_day)',
    `INSERT INTO transfers
     SELECT entries.account_id, entries.created_at_ms, entries.id, entries.unique_key,
       (usage_records.created_at_ms - usage_records.created_at_ms % ${DAY_MS}) / ${DAY_MS}
     FROM entries LEFT JOIN usage_records ON usage_records.order_id = entries.order_id
     WHERE entries.kind <> 'charge' AND entries.unique_key NOT LIKE 'house:%'`,
  ],
};
