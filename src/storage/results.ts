/** Reads about stored bodies: which are due, and who keeps too much. */
import type { KeptBody, ResultIndex, StorageIndex } from '#orders/ports.ts';
import type { Database } from './database.ts';
import { int, type Row, text } from './values.ts';

/** The index of results over `db`. */
export function createResultIndex({ knex }: Database): ResultIndex {
  return {
    async expired(nowMs, limit) {
      const rows: Row[] = await knex('results')
        .where('expires_at_ms', '<=', nowMs)
        .orderBy('expires_at_ms')
        .limit(limit);
      return rows.map(keptFrom);
    },
    async oldest(accountId, limit) {
      const rows: Row[] = await knex('results')
        .where({ account_id: accountId })
        .orderBy(['finished_at_ms', 'order_id'])
        .limit(limit);
      return rows.map(keptFrom);
    },
  };
}

/** Who keeps how much, in results and files together. */
export function createStorageIndex({ knex }: Database): StorageIndex {
  return {
    async overfull(bytesMax, limit) {
      const rows: Row[] = await knex('accounts').where('stored_bytes', '>', bytesMax).limit(limit);
      return rows.map((row) => ({ accountId: text(row.id), bytes: int(row.stored_bytes) }));
    },
  };
}

function keptFrom(row: Row): KeptBody {
  const [id, accountId] = [text(row.order_id), text(row.account_id)];
  return { id, accountId, bytes: int(row.bytes), sinceMs: int(row.finished_at_ms) };
}
