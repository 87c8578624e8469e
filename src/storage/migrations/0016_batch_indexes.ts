/**
 * Lists of a batch, and of the orders outside batches, that pass over no orders of the other kind one by one.
 *
 * - On MySQL every index is of every order: `orders_by_batch` leads by status to the lines of a batch and to the orders
 *   outside, and to the live orders of everybody. It takes the place of two, so an order is in one index less.
 * - On SQLite `orders_by_batch` is of lines alone and stays as it is. The other indexes now end with the batch, so that a
 *   line is passed over without a look at its row.
 */
import type { Migration } from '../migrate.ts';

export const batchIndexes: Migration = {
  id: '0016_batch_indexes',
  statements: (dialect) => dialect.batchIndexes,
};
