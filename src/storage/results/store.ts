/**
 * Stored results, and which of them have expired. Small ones are rows of `stored_answers`, which only the journal
 * writes and deletes; larger ones, and all from before that table, are blobs. A row takes precedence: a blob beside it
 * was left by an earlier attempt, and is deleted with the result. Blobs of two attempts have two names.
 */
import type { ResultStore, RetainedItem, RetentionIndex, StorageIndex } from '#results/ports.ts';
import { blobName, blobNames } from '../blobs/blob-name.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import { int, type Row, text } from '../database/values.ts';

/** The blob store, for larger results. */
export type ResultBlobs = Pick<BlobStore, 'put' | 'putLightly' | 'get' | 'delete'>;

/** The result store over the rows of `db` and over `blobs`. */
export function createResultStore({ knex }: Pick<Database, 'knex'>, blobs: ResultBlobs): ResultStore {
  return {
    put: (result) => blobs.put(blobName(result.orderId, result.attempt), Buffer.from(result.text)),
    putLightly: (result) => blobs.putLightly(blobName(result.orderId, result.attempt), Buffer.from(result.text)),
    async get(orderId) {
      const row: Row | undefined = await knex('stored_answers').where({ order_id: orderId }).first('body');
      if (row) return text(row.body);
      for (const name of blobNames(orderId, await attemptOf(knex, orderId))) {
        const blob = await blobs.get(name);
        if (blob) return Buffer.from(blob).toString();
      }
      return null;
    },
    async getCheap(orderIds) {
      const rows: Row[] = await knex('stored_answers')
        .whereIn('order_id', [...orderIds])
        .select('order_id', 'body');
      return new Map(rows.map((row) => [text(row.order_id), text(row.body)]));
    },
    async delete(orderId) {
      for (let attempt = await attemptOf(knex, orderId); attempt > 0; attempt--)
        await blobs.delete(blobName(orderId, attempt));
    },
  };
}

/** The last attempt of an order; 1 for one that never ran, or is unknown. */
async function attemptOf(knex: Database['knex'], orderId: string): Promise<number> {
  const row: Row | undefined = await knex('orders').where({ id: orderId }).first('attempt');
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
