/** The filters of GET /v1/orders as conditions that the indexes of the table can serve. Spec 4.6. */
import type { Knex } from 'knex';
import type { OrderFilter } from '#orders/ports.ts';
import { FAILED, LIVE } from './dialects/dialect.ts';

/** Every filter but the statuses. */
export function narrowed(query: Knex.QueryBuilder, filter: OrderFilter): Knex.QueryBuilder {
  query.where('orders.account_id', filter.accountId);
  if (filter.model !== null) query.where('orders.model', filter.model);
  if (filter.kind !== null) query.where('orders.kind', filter.kind);
  if (filter.batchId === 'none') query.whereNull('orders.batch_id');
  else if (filter.batchId !== null) query.where('orders.batch_id', filter.batchId);
  // `~` sorts after every character of an id.
  if (filter.idPrefix !== null) query.whereBetween('orders.id', [filter.idPrefix, `${filter.idPrefix}~`]);
  if (filter.fromMs !== null) query.where('orders.created_at_ms', '>=', filter.fromMs);
  if (filter.toMs !== null) query.where('orders.created_at_ms', '<=', filter.toMs);
  return query;
}

/** A set that lies within one index is named by it: SQLite uses a partial index only for its very own condition. */
export function ofStatuses(query: Knex.QueryBuilder, statuses: readonly string[] | null): Knex.QueryBuilder {
  if (!statuses) return query;
  if (statuses.every(isLive)) query.whereRaw(LIVE);
  else if (!statuses.some((status) => isLive(status) || status === 'done')) query.whereRaw(FAILED);
  return query.whereIn('orders.status', [...statuses]);
}

/** Whether an order of this status may still run. */
export function isLive(status: string): boolean {
  return status === 'queued' || status === 'executing';
}
