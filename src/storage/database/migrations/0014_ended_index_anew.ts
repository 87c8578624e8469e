/**
 * `orders_ended` with a condition that is cheap to check. It is checked when an order is inserted and twice when it
 * ends; SQLite compares a status with two values directly, but for a list of four it builds a table in memory each
 * time, which was a seventh of the journal's cost of an order.
 */
import type { Migration } from './migration.ts';

export const endedIndexAnew: Migration = {
  id: '0014_ended_index_anew',
  statements: ({ partialIndexes }) =>
    partialIndexes
      ? [
          'DROP INDEX orders_ended',
          `CREATE INDEX orders_ended ON orders (account_id, model, kind, status, created_at_ms, id)
     WHERE status NOT IN ('queued', 'executing')`,
        ]
      : [],
};
