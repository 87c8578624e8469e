/**
 * The ids of the orders that may still run: few among very many, so they are read from an index that has only them, or
 * that has them together. The orders are then read by their ids, a bounded number at a time.
 */
import type { Database } from '../database/database.ts';
import { LIVE } from '../database/dialects/dialect.ts';
import { type Row, text } from '../database/values.ts';

/** All ids, oldest first; with `beforeEpoch` only those of orders of earlier boots than this. */
export async function liveIds({ knex, dialect }: Database, beforeEpoch: number | null = null): Promise<string[]> {
  const index = dialect.partialIndexes ? 'orders_live' : 'orders_by_status';
  const live = knex.from(knex.raw(dialect.by('orders', index))).whereRaw(LIVE);
  if (beforeEpoch !== null) live.where('boot_epoch', '<', beforeEpoch);
  const rows: Row[] = await live.select('id');
  return rows.map(({ id }) => text(id)).sort();
}

/** `ids` in parts of at most `size`. */
export function* pagesOf(ids: readonly string[], size: number): Generator<readonly string[]> {
  for (let start = 0; start < ids.length; start += size) yield ids.slice(start, start + size);
}
