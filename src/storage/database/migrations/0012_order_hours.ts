/**
 * Lists and totals of an account with very many orders.
 *
 * - `orders_ended`: a list by any model, kind and status is a few ranges of it, each in the order of the list. Where
 * the database has partial indexes, orders enter it when they end, so that a run costs one entry; the few that may
 * still run are listed by status. It replaces two indexes of earlier migrations.
 * - `order_hours`: like `order_days`, by the UTC hour of their creation. In an account with a million orders a month, a
 * day has 33,000 of them, which take most of a second to sum one by one.
 */
import { HOUR_MS } from '#base/time.ts';
import type { Migration } from './migration.ts';

export const orderHours: Migration = {
  id: '0012_order_hours',
  statements: (dialect) => [
    ...(dialect.partialIndexes
      ? [
          'DROP INDEX orders_by_model',
          'DROP INDEX orders_failed',
          `CREATE INDEX orders_ended ON orders (account_id, model, kind, status, created_at_ms, id)
     WHERE status IN ('done', 'error', 'canceled', 'expired')`,
        ]
      : [
          'DROP INDEX orders_by_model ON orders',
          'CREATE INDEX orders_ended ON orders (account_id, model, kind, status, created_at_ms, id)',
        ]),
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
