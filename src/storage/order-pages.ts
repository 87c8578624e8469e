/**
 * Which orders a page of the list has. A list that is filtered by what an order is or became is a few ranges of an index,
 * one for each model, kind and status, each in the order of the list; the newest of all these are the page. So a page
 * takes as long in an account with millions of orders, however few the filter selects. Spec 4.6.
 */
import type { Knex } from 'knex';
import { type OrderStatus, orderKinds } from '#orders/order.ts';
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
  return { ids: newest(knex.select('id').from(together(db, ranges).as('ranges')), limit) };
}

function together({ knex, dialect }: Database, ranges: readonly Knex.QueryBuilder[]): Knex.QueryBuilder {
  if (dialect.limitsInUnions) return knex.queryBuilder().unionAll([...ranges], true);
  const whole = ranges.map((range, index) => knex.select('*').from(range.as(`range_${index}`)));
  return knex.queryBuilder().unionAll(whole);
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
  const all = [...live, ...ended];
  if (idPrefix !== null && isWholeId(idPrefix))
    return [narrowed(db.knex('orders'), filter).whereIn('orders.status', all)];

  const { partialIndexes } = db.dialect;
  const ofAnySort = model === null && kind === null;
  const ofLines = batchId !== null && batchId !== 'none';
  if (ofLines && partialIndexes) return [by(db, 'orders_by_batch', filter).whereIn('orders.status', all)];
  if (ofLines || (batchId === 'none' && ofAnySort && !partialIndexes)) {
    return all.map((status) => by(db, 'orders_by_batch', filter).where('orders.status', status));
  }
  if (ofAnySort && statuses === null) return [by(db, 'orders_by_account', filter)];
  if (!partialIndexes) return rangesBySort(db, filter, all);
  const running = by(db, 'orders_live', filter).whereIn('orders.status', live);
  return [...(live.length > 0 ? [running] : []), ...(await rangesBySort(db, filter, ended))];
}

/** The ranges of `orders_ended`, one for each model, kind and status. */
async function rangesBySort(
  db: Database,
  filter: OrderFilter,
  statuses: readonly OrderStatus[],
): Promise<Knex.QueryBuilder[]> {
  if (statuses.length === 0) return [];
  const models = filter.model === null ? await modelsOf(db, filter.accountId) : [filter.model];
  const kinds = filter.kind === null ? orderKinds : [filter.kind];
  const sorts = models.flatMap((model) => kinds.map((kind) => ({ ...filter, model, kind })));
  return sorts.flatMap((sort) => statuses.map((status) => by(db, 'orders_ended', sort).where('orders.status', status)));
}

/** Every model of which the account has orders in `orders_ended`: one step in the index for each. */
async function modelsOf(db: Database, accountId: string): Promise<string[]> {
  const models: string[] = [];
  for (;;) {
    const row: Row | undefined = await indexed(db, 'orders_ended')
      .where('account_id', accountId)
      .where('model', '>', models.at(-1) ?? '')
      .orderBy('model')
      .first('model');
    if (!row) return models;
    models.push(text(row.model));
  }
}

function by(db: Database, index: Index, filter: OrderFilter): Knex.QueryBuilder {
  return narrowed(indexed(db, index), filter);
}

type Index = 'orders_by_account' | 'orders_by_batch' | 'orders_live' | 'orders_ended';

/** The orders that are in this index, to be read by it. */
function indexed({ knex, dialect }: Database, index: Index): Knex.QueryBuilder {
  const orders = knex.from(knex.raw(dialect.by('orders', index)));
  if (index === 'orders_live') orders.whereRaw(LIVE);
  if (index === 'orders_ended' && dialect.partialIndexes) orders.whereRaw(ENDED);
  return orders;
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
