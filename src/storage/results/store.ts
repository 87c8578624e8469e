/**
 * Stored results, and which of them have expired. Small ones are rows of `stored_answers`, which only the journal
 * writes and deletes; larger ones, and all from before that table, are blobs. A row takes precedence: a blob beside it
 * was left by an earlier attempt, and is deleted with the result. Blobs of two attempts have two names.
 */
import { managesAll } from '#access/scopes.ts';
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import type { Overfull, ResultStore, RetainedItem, RetentionIndex } from '#results/ports.ts';
import { type BlobStore, blobName, blobNames } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import { newestAfter, oldestAfter } from '../database/keyset.ts';
import { int, moneyOrNull, type Row, text, textOrNull } from '../database/values.ts';
import { apiKeyFrom } from '../records/account.ts';

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

/** For each order: its attempt, its result if that is a row, and its charge before refunds. */
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
  const results = () =>
    knex('results').leftJoin('orders', 'orders.id', 'results.order_id').select('results.*', 'orders.key_id');
  return {
    async expired(nowMs, limit) {
      const rows: Row[] = await results()
        .where('results.expires_at_ms', '<=', nowMs)
        .orderBy('results.expires_at_ms')
        .limit(limit);
      return rows.map(itemFrom);
    },
    async oldest(accountId, limit) {
      const rows: Row[] = await oldestAfter(results().where(of(accountId)).limit(limit), null, FINISHED);
      return rows.map(itemFrom);
    },
    async newest(accountId, { limit, after }) {
      const key = after && { createdAtMs: after.sinceMs, id: after.id };
      const rows: Row[] = await newestAfter(results().where(of(accountId)).limit(limit), key, FINISHED);
      return rows.map(itemFrom);
    },
  };
}

const FINISHED = ['results.finished_at_ms', 'results.order_id'] as const;

function of(accountId: string) {
  return { 'results.account_id': accountId };
}

/** Returns the ids in `keyIds` of keys that may delete only what they made. */
export function narrowKeysIn({ knex }: Database) {
  return async (keyIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const rows: Row[] = keyIds.length === 0 ? [] : await knex('api_keys').whereIn('id', [...keyIds]);
    return new Set(
      rows
        .map(apiKeyFrom)
        .filter((key) => !managesAll(key))
        .map(({ id }) => id),
    );
  };
}

/** How much each account stores, in results and files together. */
export function overfullIn({ knex }: Pick<Database, 'knex'>): Overfull {
  return async (bytesMax, limit) => {
    const rows: Row[] = await knex('accounts')
      .where('stored_bytes', '>', bytesMax)
      .orderBy([{ column: 'stored_bytes', order: 'desc' }, 'id'])
      .limit(limit);
    return rows.map((row) => ({ accountId: text(row.id), bytes: int(row.stored_bytes) }));
  };
}

/**
 * The same with what the active batches of each account have written so far: that counts as stored once they end, and is on
 * the disk before.
 */
export function occupyingIn(db: Pick<Database, 'knex'>): Overfull {
  return async (bytesMax, limit) => {
    const written = await writtenBytes(db);
    const stored = await overfullIn(db)(bytesMax, limit);
    const writers: Row[] = await db.knex('accounts').whereIn('id', [...written.keys()]);
    const both = writers.map((row) => ({
      id: text(row.id),
      bytes: int(row.stored_bytes) + (written.get(text(row.id)) ?? 0),
    }));
    return [
      ...stored.filter(({ accountId }) => !written.has(accountId)),
      ...both.filter(({ bytes }) => bytes > bytesMax).map(({ id: accountId, bytes }) => ({ accountId, bytes })),
    ]
      .sort((one, other) => other.bytes - one.bytes)
      .slice(0, limit);
  };
}

/** What the active batches of the account, or of every one, have written to files that do not count yet. */
export async function writtenBytes({ knex }: Pick<Database, 'knex'>, accountId?: string): Promise<Map<string, number>> {
  // By status: few batches are active, while an account may have had any number.
  const rows: Row[] = await knex('batches')
    .whereIn('status', [...ACTIVE_STATUSES])
    .where(accountId === undefined ? {} : { account_id: accountId })
    .groupBy('account_id')
    .select('account_id', knex.raw('SUM(output_bytes + error_bytes) AS bytes'));
  return new Map(rows.map((row) => [text(row.account_id), int(row.bytes)]));
}

function itemFrom(row: Row): RetainedItem {
  const [id, accountId] = [text(row.order_id), text(row.account_id)];
  return { id, accountId, keyId: textOrNull(row.key_id), bytes: int(row.bytes), sinceMs: int(row.finished_at_ms) };
}
