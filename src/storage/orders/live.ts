/**
 * The ids of the orders that may still run: few among very many, so they are read from an index that has only them, or
 * that has them together. The orders are then read by their ids, a bounded number at a time.
 */
import type { Knex } from 'knex';
import type { Database } from '../database/database.ts';
import { LIVE } from '../database/dialects/dialect.ts';
import { type Row, text } from '../database/values.ts';

/** All ids, oldest first; with `beforeEpoch` only those of orders of earlier boots than this. */
export async function liveIds(db: Database, beforeEpoch: number | null = null): Promise<string[]> {
  const live = liveOrders(db);
  return idsOf(beforeEpoch === null ? live : live.where('boot_epoch', '<', beforeEpoch));
}

/** The ids of orders of one boot, oldest first. */
export async function liveIdsOf(db: Database, bootEpoch: number): Promise<string[]> {
  return idsOf(liveOrders(db).where('boot_epoch', bootEpoch));
}

function liveOrders({ knex, dialect }: Database): Knex.QueryBuilder {
  const index = dialect.partialIndexes ? 'orders_live' : 'orders_by_status';
  return knex.from(knex.raw(dialect.by('orders', index))).whereRaw(LIVE);
}

async function idsOf(orders: Knex.QueryBuilder): Promise<string[]> {
  const rows: Row[] = await orders.select('id');
  return rows.map(({ id }) => text(id)).sort();
}

/** `ids` in parts of at most `size`. */
export function* pagesOf(ids: readonly string[], size: number): Generator<readonly string[]> {
  for (let start = 0; start < ids.length; start += size) yield ids.slice(start, start + size);
}
