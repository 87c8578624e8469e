/**
 * The ids of the orders that may still run. They are few among very many, so they are read from an index alone; the
 * orders themselves are then read by their ids, a bounded number at a time.
 */
import type { Database } from '../database/database.ts';
import { LIVE } from '../database/dialects/dialect.ts';
import { type Row, text } from '../database/values.ts';

/** All ids, oldest first. `before`: only of orders of earlier boots than this. */
export async function liveIds({ knex, dialect }: Database): Promise<string[]> {
  const index = dialect.partialIndexes ? 'orders_live' : 'orders_by_status';
  const rows: Row[] = await knex
    .from(knex.raw(dialect.by('orders', index)))
    .whereRaw(LIVE)
    .select('id');
  return rows.map(({ id }) => text(id)).sort();
}
