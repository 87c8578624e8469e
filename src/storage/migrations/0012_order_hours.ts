/**
 * Lists and totals of an account with very many orders.
 *
 * - `orders_ended`: a list of any model, kind and status is a few ranges of it, each in the order of the list. Orders
 *   enter it when they end, where the database can do that, so that a run is one entry in it; the few that may still
 *   run are listed by status. It takes the place of two indexes of earlier steps.
 * - `order_hours`: as `order_days`, by the UTC hour of their creation. A day of an account with a million orders a month
 *   has 33,000 of them, which take most of a second to add up one by one.
 */
import { HOUR_MS } from '../days.ts';
import type { Migration } from '../migrate.ts';

export const orderHours: Migration = {
  id: '0012_order_hours',
  statements: (dialect) => [
    ...dialect.endedIndex,
    `CREATE TABLE IF NOT EXISTS order_hours (
      account_id VARCHAR(64) NOT NULL,
      hour INT NOT NULL,
      model VARCHAR(255) NOT NULL,
      kind VARCHAR(16) NOT NULL,
      status VARCHAR(16) NOT NULL,
      in_batch SMALLINT NOT NULL,
      market SMALLINT NOT NULL,
      orders BIGINT NOT NULL,
      charged BIGINT NOT NULL,
      at_bid_usd BIGINT NOT NULL,
      at_bid_nano BIGINT NOT NULL,
      PRIMARY KEY (account_id, hour, model, kind, status, in_batch, market)
    ) ${dialect.clusteredTable}`,
    // On MySQL this step may run a second time.
    'DELETE FROM order_hours',
    `INSERT INTO order_hours
     SELECT orders.account_id, (orders.created_at_ms - orders.created_at_ms % ${HOUR_MS}) / ${HOUR_MS}, orders.model,
       kind, status, CASE WHEN batch_id IS NULL THEN 0 ELSE 1 END, CASE WHEN price_limit IS NULL THEN 0 ELSE 1 END,
       COUNT(*), COALESCE(SUM(charged - refunded), 0),
       COALESCE(SUM((at_bid - at_bid % 1000000000) / 1000000000), 0), COALESCE(SUM(at_bid % 1000000000), 0)
     FROM orders LEFT JOIN usage_records ON usage_records.order_id = orders.id
     WHERE status NOT IN ('queued', 'executing')
     GROUP BY 1, 2, 3, 4, 5, 6, 7`,
  ],
};
