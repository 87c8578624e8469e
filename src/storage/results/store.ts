/**
 * Stored results, and which of them have expired. Small ones are rows of `stored_answers`, which only the journal
 * writes and deletes; larger ones, and all from before that table, are blobs. A row takes precedence: a blob beside it
 * was left by an earlier attempt, and is deleted with the result. Blobs of two attempts have two names.
 */
import type { ResultStore, RetainedItem, RetentionIndex, StorageIndex } from '#results/ports.ts';
import { type BlobStore, blobName, blobNames } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import { int, moneyOrNull, type Row, text } from '../database/values.ts';

/** The blob store, for larger results. */
export type ResultBlobs = Pick<BlobStore, 'put' | 'putLightly' | 'get' | 'delete'>;

/** The result store over the rows of `db` and over `blobs`. */
export function createResultStore({ knex }: Pick<Database, 'knex'>, blobs: ResultBlobs): ResultStore {
  return {
    put: (result) => blobs.put(blobName(result.orderId, result.attempt), Buffer.from(result.text)),
    putLightly: (result) => blobs.putLightly(blobName(result.orderId, result.attempt), Buffer.from(result.text)),
    async get(orderId) {
      const [row] = await rowsOf(knex, [orderId]);
      if (!row) return null;
      const charged = moneyOrNull(row.charged);
      if (row.body !== null) return { text: text(row.body), charged };
      for (const name of blobNames(orderId, attemptOf(row))) {
        const blob = await blobs.get(name);
        if (blob) return { text: Buffer.from(blob).toString(), charged };
      }
      return null;
    },
    async getCheap(orderIds) {
      const rows = await rowsOf(knex, orderIds);
      return new Map(
        rows
          .filter(({ body }) => body !== null)
          .map((row) => [text(row.id), { text: text(row.body), charged: moneyOrNull(row.charged) }]),
      );
    },
    async delete(orderId) {
      const row: Row | undefined = await knex('orders').where({ id: orderId }).first('attempt');
      for (let attempt = attemptOf(row); attempt > 0; attempt--) await blobs.delete(blobName(orderId, attempt));
    },
  };
}

/** Of each order its attempt, its result where that is a row, and its charge before refunds. */
function rowsOf(knex: Database['knex'], orderIds: readonly string[]): Promise<Row[]> {
  return knex('orders')
    .leftJoin('stored_answers', 'stored_answers.order_id', 'orders.id')
    .leftJoin('usage_records', 'usage_records.order_id', 'orders.id')
    .whereIn('orders.id', [...orderIds])
    .select('orders.id', 'orders.attempt', 'stored_answers.body', 'usage_records.charged');
}

/** The last attempt of an order; 1 for one that never ran, or is unknown. */
function attemptOf(row: Row | undefined): number {
  return row ? Math.max(1, int(row.attempt)) : 1;
}

/** The index of results over `db`. */
export function createResultIndex({ knex }: Database): RetentionIndex {
  return {
    async expired(nowMs, limit) {
      const rows: Row[] = await knex('results')
        .where('expires_at_ms', '<=', nowMs)
        .orderBy('expires_at_ms')
        .limit(limit);
      return rows.map(itemFrom);
    },
    async oldest(accountId, limit) {
      const rows: Row[] = await knex('results')
        .where({ account_id: accountId })
        .orderBy(['finished_at_ms', 'order_id'])
        .limit(limit);
      return rows.map(itemFrom);
    },
  };
}

/** How much each account stores, in results and files together. */
export function createStorageIndex({ knex }: Database): StorageIndex {
  return {
    async overfull(bytesMax, limit) {
      const rows: Row[] = await knex('accounts')
        .where('stored_bytes', '>', bytesMax)
        .orderBy([{ column: 'stored_bytes', order: 'desc' }, 'id'])
        .limit(limit);
      return rows.map((row) => ({ accountId: text(row.id), bytes: int(row.stored_bytes) }));
    },
  };
}

function itemFrom(row: Row): RetainedItem {
  const [id, accountId] = [text(row.order_id), text(row.account_id)];
  return { id, accountId, bytes: int(row.bytes), sinceMs: int(row.finished_at_ms) };
}
