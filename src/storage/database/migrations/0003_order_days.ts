/**
 * The totals of orders, so that no answer grows with the table.
 *
 * - `order_days`: the orders that ended, summed by account, UTC day of their creation and everything that a list can be
 *   filtered by, in the transaction that ends them. `charged` is net of refunds. A sum of amounts at bids leaves 64
 *   bits, so it is kept as dollars and the nano-dollars beside them.
 * - `orders_by_model`: lists of one model or kind, however few of the account's orders they are.
 */
import { DAY_MS } from '#base/time.ts';
import type { Migration } from './migration.ts';

export const orderDays: Migration = {
  id: '0003_order_days',
  statements: (dialect) => [
    'CREATE INDEX orders_by_model ON orders (account_id, model, kind, created_at_ms, id)',
    `CREATE TABLE IF NOT EXISTS order_days (
      account_id VARCHAR(64) NOT NULL,
      day INT NOT NULL,
      model VARCHAR(255) NOT NULL,
      kind VARCHAR(16) NOT NULL,
      status VARCHAR(16) NOT NULL,
      in_batch SMALLINT NOT NULL,
      market SMALLINT NOT NULL,
      orders BIGINT NOT NULL,
      charged BIGINT NOT NULL,
      at_bid_usd BIGINT NOT NULL,
      at_bid_nano BIGINT NOT NULL,
      PRIMARY KEY (account_id, day, model, kind, status, in_batch, market)
    ) ${dialect.clusteredTable}`,
    // On MySQL this step may run a second time.
    'DELETE FROM order_days',
    `INSERT INTO order_days
     SELECT orders.account_id, (orders.created_at_ms - orders.created_at_ms % ${DAY_MS}) / ${DAY_MS}, orders.model, kind,
       status, CASE WHEN batch_id IS NULL THEN 0 ELSE 1 END, CASE WHEN price_limit IS NULL THEN 0 ELSE 1 END, COUNT(*),
       COALESCE(SUM(charged - refunded), 0), COALESCE(SUM((at_bid - at_bid % 1000000000) / 1000000000), 0),
       COALESCE(SUM(at_bid % 1000000000), 0)
     FROM orders LEFT JOIN usage_records ON usage_records.order_id = orders.id
     WHERE status NOT IN ('queued', 'executing')
     GROUP BY 1, 2, 3, 4, 5, 6, 7`,
  ],
};
