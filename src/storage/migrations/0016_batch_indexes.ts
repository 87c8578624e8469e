/**
 * Lists of a batch, and of the orders outside batches, that pass over no orders of the other kind one by one.
 *
 * - Indexes by status end with the batch, so that an order is passed over without a look at its row.
 * - On SQLite so does the index of all orders; `orders_by_batch`, which is of lines alone there, stays as it is. On MySQL it
 *   is of every order, and by account, so that it leads to the orders outside batches too.
 */
import type { Migration } from '../migrate.ts';

export const batchIndexes: Migration = {
  id: '0016_batch_indexes',
  statements: (dialect) => dialect.batchIndexes,
};
