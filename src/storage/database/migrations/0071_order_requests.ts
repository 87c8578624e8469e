/** The id of the HTTP request that became an order, by which the operator finds it. Earlier orders have none. */
import type { Migration } from './migration.ts';

/** Adds the column and its index, which on SQLite has only orders with an id. */
export const orderRequests: Migration = {
  id: '0071_order_requests',
  statements: ({ whereNotNull }) => [
    'ALTER TABLE orders ADD COLUMN request_id VARCHAR(128) NULL',
    `CREATE INDEX orders_by_request ON orders (request_id)${whereNotNull('request_id')}`,
  ],
};
