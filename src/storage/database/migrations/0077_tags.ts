/**
 * The tags of orders. `orders.tags` has those of one order between commas, such as `,search,team:blue,`; null for none. The two
 * tables are the indexes by which one tag is looked up, in the order of the submission and of the settlement. An order
 * without tags is in neither.
 */
import type { Migration } from './migration.ts';

/** Adds the columns and the tables. */
export const tags: Migration = {
  id: '0077_tags',
  statements: ({ clusteredTable }) => [
    'ALTER TABLE orders ADD COLUMN tags VARCHAR(255) NULL',
    'ALTER TABLE batches ADD COLUMN tags VARCHAR(255) NULL',
    ...['order_tags', 'usage_tags'].map(
      (table) => `CREATE TABLE IF NOT EXISTS ${table} (
        account_id VARCHAR(64) NOT NULL,
        tag VARCHAR(32) NOT NULL,
        created_at_ms BIGINT NOT NULL,
        order_id VARCHAR(36) NOT NULL,
        PRIMARY KEY (account_id, tag, created_at_ms, order_id)
      ) ${clusteredTable}`,
    ),
    'CREATE INDEX order_tags_by_tag ON order_tags (tag, order_id)',
  ],
};
