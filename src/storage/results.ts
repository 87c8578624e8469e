/** Reads about stored bodies: which are due, and who keeps too much. */
import type { KeptResult, ResultIndex } from '#orders/ports.ts';
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
    async overfull(bytesMax, limit) {
      const rows: Row[] = await knex('accounts').where('stored_bytes', '>', bytesMax).limit(limit);
      return rows.map((row) => ({ accountId: text(row.id), bytes: int(row.stored_bytes) }));
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

function keptFrom(row: Row): KeptResult {
  return { orderId: text(row.order_id), accountId: text(row.account_id), bytes: int(row.bytes) };
}
