/**
 * Which orders a page of the list has. A list that is filtered by what an order is or became is a few ranges of
 * `orders_ended`, one for each model, kind and status, and the orders that may still run; the newest of all these are
 * the page. So a page takes as long in an account with millions of orders, however few the filter selects. Spec 4.6.
 */
import type { Knex } from 'knex';
import { orderKinds } from '#orders/order.ts';
import type { OrderFilter } from '#orders/ports.ts';
import type { Database } from './database.ts';
import { ENDED, LIVE } from './dialects/dialect.ts';
import { narrowed, statusesOf } from './order-filter.ts';
import { isWholeId } from './order-ids.ts';
import { type Row, text } from './values.ts';

/** The place of an order in a list; of one that is gone, its id is the only mark. */
export interface Place {
  readonly createdAtMs: number | null;
  readonly id: string;
}

/** A query for the ids of the first `limit` orders of a filter that come after a place; null when there is none. */
export async function pageOf(
  db: Database,
  filter: OrderFilter,
  { after, limit }: { after: Place | null; limit: number },
): Promise<{ readonly ids: Knex.QueryBuilder } | null> {
  const { knex } = db;
  const ranges = (await rangesOf(db, filter)).map((range) => {
    if (after) startAfter(range, after);
    return newest(range.select('orders.created_at_ms', 'orders.id'), limit);
  });
  const [only, ...more] = ranges;
  if (!only) return null;
  if (more.length === 0) return { ids: knex.select('id').from(only.as('page')) };
  // SQLite takes a limit inside a union only as a query of its own.
  const [first, ...others] = ranges.map((range, index) => knex.select('*').from(range.as(`range_${index}`)));
  const together = (first as Knex.QueryBuilder).unionAll(others);
  return { ids: newest(knex.select('id').from(together.as('ranges')), limit) };
}

function newest(query: Knex.QueryBuilder, limit: number): Knex.QueryBuilder {
  return query
    .orderBy([
      { column: 'created_at_ms', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit);
}

/** Queries that add up to the filter, each of which reads one index in the order of the list. */
async function rangesOf(db: Database, filter: OrderFilter): Promise<Knex.QueryBuilder[]> {
  const { model, kind, statuses, idPrefix, batchId } = filter;
  const { live, ended } = statusesOf(filter);
  const by = (index: string, narrower: Partial<OrderFilter> = {}) =>
    narrowed(db.knex.from(db.knex.raw(db.dialect.by('orders', index))), { ...filter, ...narrower });
  const ofStatuses = (query: Knex.QueryBuilder) => [query.whereIn('orders.status', [...live, ...ended])];
  if (idPrefix !== null && isWholeId(idPrefix)) return ofStatuses(narrowed(db.knex('orders'), filter));
  if (batchId !== null && batchId !== 'none') return ofStatuses(by('orders_by_batch'));
  if (model === null && kind === null && statuses === null) return [by('orders_by_account')];
  const ranges: Knex.QueryBuilder[] = [];
  if (live.length > 0) ranges.push(by(db.dialect.liveIndex).whereRaw(LIVE).whereIn('orders.status', live));
  if (ended.length === 0) return ranges;
  for (const one of model === null ? await modelsOf(db.knex, filter.accountId) : [model]) {
    for (const other of kind === null ? orderKinds : [kind]) {
      for (const status of ended) {
        ranges.push(by('orders_ended', { model: one, kind: other }).whereRaw(ENDED).where('orders.status', status));
      }
    }
  }
  return ranges;
}

/** Every model of which the account has orders that ended: one step in the index for each. */
async function modelsOf(knex: Knex, accountId: string): Promise<string[]> {
  const models: string[] = [];
  for (;;) {
    const row: Row | undefined = await knex('orders')
      .where('account_id', accountId)
      .whereRaw(ENDED)
      .where('model', '>', models.at(-1) ?? '')
      .orderBy('model')
      .first('model');
    if (!row) return models;
    models.push(text(row.model));
  }
}

function startAfter(query: Knex.QueryBuilder, { createdAtMs, id }: Place): void {
  if (createdAtMs === null) {
    query.where('orders.id', '<', id);
    return;
  }
  // The first condition is for the index: neither database sees a range in the second.
  query
    .where('orders.created_at_ms', '<=', createdAtMs)
    .where((either) => either.where('orders.created_at_ms', '<', createdAtMs).orWhere('orders.id', '<', id));
}
