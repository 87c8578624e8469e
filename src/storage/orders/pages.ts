/**
 * Keyset pagination of orders: a page has the newest orders of a few ranges, each of which an index has in the list's
 * order. So its cost does not depend on the size of the account or on how few orders the filter selects. Spec 4.6.
 */
import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type OrderStatus, orderKinds } from '#orders/order.ts';
import type { OrderFilter } from '#orders/ports.ts';
import type { Database } from '../database/database.ts';
import { ENDED, LIVE } from '../database/dialects/dialect.ts';
import { before, type KeyColumns, keyOf, newest, newestAmong, newestFirst, type RowKey } from '../database/keyset.ts';
import { overlap } from '../database/periods.ts';
import { reading } from '../database/transaction.ts';
import { int, type Row, text } from '../database/values.ts';
import { indexedBy, isWholeId, narrowed, ORDER_KEY, sourceOf, statusesOf } from './filter.ts';

/** A keyset cursor: an order of a list. `createdAtMs` is null when the order is gone and only its id is known. */
export interface PageCursor {
  readonly createdAtMs: number | null;
  readonly id: string;
}

const LISTED = ['created_at_ms', 'id'] as const;
/** How many orders of a tag or a key one statement looks at. */
const SLICE = 2000;
/** How many ranges one statement reads, in some 10 ms. SQLite takes at most 500 queries in a union. */
const RANGES_MAX = 100;
const MODELS_AT_ONCE = 50;

/** A query for the ids of the first `limit` orders of a filter after a cursor; null when there is none. */
export async function pageOf(
  db: Database,
  filter: OrderFilter,
  { after, limit }: { after: PageCursor | null; limit: number },
): Promise<{ readonly ids: Knex.QueryBuilder } | null> {
  const { knex } = db;
  if (isInSlices(filter)) return pageInSlices(db, filter, { after, limit });
  const ranges = (await rangesOf(db, filter)).map((range) => {
    if (after) startAfter(range, after, ORDER_KEY);
    return newest(range.select('orders.created_at_ms', 'orders.id'), ORDER_KEY).limit(limit);
  });
  const [only, ...more] = ranges;
  if (!only) return null;
  if (more.length === 0) return { ids: knex.select('id').from(only.as('page')) };
  const among = (some: readonly Knex.QueryBuilder[]) =>
    newest(knex.from(together(db, some).as('ranges')), LISTED).limit(limit);
  if (ranges.length <= RANGES_MAX) return { ids: among(ranges).select('id') };
  // An account that has used many models. From one snapshot: an order that ends meanwhile would be in two ranges or in none.
  const found = await reading(db, async (trx) => {
    const keys: RowKey[] = [];
    for (let at = 0; at < ranges.length; at += RANGES_MAX) {
      const rows: Row[] = await among(ranges.slice(at, at + RANGES_MAX))
        .select(...LISTED)
        .transacting(trx);
      keys.push(...rows.map(keyOf));
      await setImmediate();
    }
    return keys;
  });
  return withIds(knex, found.sort(newestFirst).slice(0, limit));
}

function withIds(knex: Knex, keys: readonly RowKey[]): { readonly ids: Knex.QueryBuilder } | null {
  const ids = keys.map(({ id }) => id);
  return ids.length === 0 ? null : { ids: knex('orders').whereIn('id', ids).select('created_at_ms', 'id') };
}

function together({ knex, dialect }: Database, ranges: readonly Knex.QueryBuilder[]): Knex.QueryBuilder {
  if (dialect.limitsInUnions) return knex.queryBuilder().unionAll([...ranges], true);
  const whole = ranges.map((range, index) => knex.select('*').from(range.as(`range_${index}`)));
  return knex.queryBuilder().unionAll(whole);
}

function startAfter(query: Knex.QueryBuilder, { createdAtMs, id }: PageCursor, key: KeyColumns): void {
  if (createdAtMs === null) query.where(key[1], '<', id);
  else before(query, { createdAtMs, id }, key);
}

/** Whether a tag or a key may have many orders, and the rest of the filter selects few. Live ones are few, and one id is one. */
function isInSlices(filter: OrderFilter): boolean {
  const { tag = null, keyId, idPrefix } = filter;
  const ofOne = tag !== null || (keyId !== null && !isOfLines(filter));
  return ofOne && statusesOf(filter).ended.length > 0 && (idPrefix === null || !isWholeId(idPrefix));
}

async function pageInSlices(
  db: Database,
  filter: OrderFilter,
  { after, limit }: { after: PageCursor | null; limit: number },
): Promise<{ readonly ids: Knex.QueryBuilder } | null> {
  const { knex, dialect } = db;
  const { tag = null } = filter;
  const { key, rows } = sourceOf(filter, dialect);
  const rest = (query: Knex.QueryBuilder) => {
    if (after) startAfter(query, after, key);
    return query;
  };
  const source = () => (tag === null ? indexed(db, 'orders_by_key') : rows(knex));
  const entries = () => rest(indexedBy(knex, filter));
  const among = () => rest(ofStatuses(narrowed(source(), filter), filter));
  return withIds(knex, await newestAmong({ entries, among }, key, { after: null, limit, size: SLICE }));
}

function ofStatuses(query: Knex.QueryBuilder, { statuses }: OrderFilter): Knex.QueryBuilder {
  return statuses === null ? query : query.whereIn('orders.status', [...statuses]);
}

/**
 * Queries that together match the filter; each reads one index in the order of the list. Batch lines, which a range
 * does not exclude, are skipped in its index without reading their rows. Only SQLite reads the rows of lines, for a
 * list of one batch, which is never more than ten thousand.
 */
async function rangesOf(db: Database, filter: OrderFilter): Promise<Knex.QueryBuilder[]> {
  const { live, ended } = statusesOf(filter);
  const { idPrefix, keyId } = filter;
  if (idPrefix !== null && isWholeId(idPrefix)) {
    return [narrowed(db.knex('orders'), filter).whereIn('orders.status', [...live, ...ended])];
  }
  if (keyId !== null && !isOfLines(filter)) return liveOfKey(db, filter);
  return db.dialect.partialIndexes ? rangesOfPartial(db, filter) : rangesOfWhole(db, filter);
}

/** The live orders of one key, filtered from the account's. */
function liveOfKey(db: Database, filter: OrderFilter): Knex.QueryBuilder[] {
  const { live } = statusesOf(filter);
  if (db.dialect.partialIndexes)
    return live.length === 0 ? [] : [by(db, 'orders_live', filter).whereIn('orders.status', live)];
  return live.map((status) => by(db, 'orders_by_status', filter).where('orders.status', status));
}

/** For databases whose partial indexes separate batch lines, live orders and ended ones. */
async function rangesOfPartial(db: Database, filter: OrderFilter): Promise<Knex.QueryBuilder[]> {
  const { live, ended } = statusesOf(filter);
  if (isOfLines(filter)) return [by(db, 'orders_by_batch', filter).whereIn('orders.status', [...live, ...ended])];
  if (isOfAnySort(filter) && filter.statuses === null) return [by(db, 'orders_by_account', filter)];
  const running = by(db, 'orders_live', filter).whereIn('orders.status', live);
  return [...(live.length > 0 ? [running] : []), ...(await rangesBySort(db, filter, ended))];
}

/** For databases where every index has all orders. */
async function rangesOfWhole(db: Database, filter: OrderFilter): Promise<Knex.QueryBuilder[]> {
  const { live, ended } = statusesOf(filter);
  const statuses = [...live, ...ended];
  const ofAnySort = isOfAnySort(filter);
  if (filter.statuses === null) {
    if (isOfLines(filter) || (filter.batchId !== null && ofAnySort)) return [by(db, 'orders_by_batch', filter)];
    if (ofAnySort) return [by(db, 'orders_by_account', filter)];
  }
  // The index of batches has no status: it would cost every order one more index entry at every change.
  const near = isOfLines(filter) ? await inTimeOfBatch(db, filter) : filter;
  if (!ofAnySort) return rangesBySort(db, near, statuses);
  return statuses.map((status) => by(db, 'orders_by_status', near).where('orders.status', status));
}

function isOfLines({ batchId }: OrderFilter): boolean {
  return batchId !== null && batchId !== 'none';
}

function isOfAnySort({ model, kind }: OrderFilter): boolean {
  return model === null && kind === null;
}

/** The filter, narrowed to the time in which the lines of its batch were created. */
async function inTimeOfBatch(db: Database, filter: OrderFilter): Promise<OrderFilter> {
  const { accountId, batchId } = filter;
  const row: Row | undefined = await indexed(db, 'orders_by_batch')
    .where({ account_id: accountId, batch_id: batchId })
    .first(db.knex.raw('MIN(created_at_ms) AS first, MAX(created_at_ms) AS last'));
  const made = { fromMs: int(row?.first ?? 0), toMs: int(row?.last ?? -1) };
  return { ...filter, ...overlap(filter, made) };
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

/** Every model of the account's orders in `orders_ended`: one index lookup for each (a loose index scan). */
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
    // SQLite never yields the thread.
    if (models.length % MODELS_AT_ONCE === 0) await setImmediate();
  }
}

function by(db: Database, index: Index, filter: OrderFilter): Knex.QueryBuilder {
  return narrowed(indexed(db, index), filter);
}

type Index =
  | 'orders_by_account'
  | 'orders_by_key'
  | 'orders_by_batch'
  | 'orders_by_status'
  | 'orders_live'
  | 'orders_ended';

/** The orders in this index, to be read from it. */
function indexed({ knex, dialect }: Database, index: Index): Knex.QueryBuilder {
  const orders = knex.from(knex.raw(dialect.by('orders', index)));
  if (index === 'orders_live') orders.whereRaw(LIVE);
  if (index === 'orders_ended' && dialect.partialIndexes) orders.whereRaw(ENDED);
  return orders;
}
