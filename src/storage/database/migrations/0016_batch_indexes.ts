/**
 * Lists of a batch, and of the orders outside batches, that need not skip orders of the other kind one by one.
 *
 * - Indexes by status end with the batch, so that an order is skipped without reading its row.
 * - On SQLite so does the index of all orders; `orders_by_batch`, which has only lines there, stays as it is. On MySQL
 * it has every order, by account, so that it also finds the orders outside batches.
 */
import type { Migration } from './migration.ts';

export const batchIndexes: Migration = {
  id: '0016_batch_indexes',
  statements: ({ partialIndexes }) =>
    partialIndexes
      ? [
          'DROP INDEX orders_by_account',
          'CREATE INDEX orders_by_account ON orders (account_id, created_at_ms, id, batch_id)',
          'DROP INDEX orders_ended',
          `CREATE INDEX orders_ended ON orders (account_id, model, kind, status, created_at_ms, id, batch_id)
     WHERE status NOT IN ('queued', 'executing')`,
        ]
      : // One statement, which is done whole or not at all and may be done twice.
        [
          `ALTER TABLE orders DROP INDEX orders_by_batch, DROP INDEX orders_by_status, DROP INDEX orders_ended,
       ADD INDEX orders_by_batch (batch_id, account_id, created_at_ms, id, model, kind),
       ADD INDEX orders_by_status (status, account_id, created_at_ms, id, batch_id),
       ADD INDEX orders_ended (account_id, model, kind, status, created_at_ms, id, batch_id)`,
        ],
};
