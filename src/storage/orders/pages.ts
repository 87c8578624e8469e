/**
 * Keyset pagination of orders: a page has the newest orders of a few ranges, each of which an index has in the list's
 * order. So its cost does not depend on the size of the account or on how few orders the filter selects. Spec 4.6.
 */
import type { Knex } from 'knex';
import type { OrderFilter } from '#orders/ports.ts';
import type { Database } from '../database/database.ts';
import { before, newest } from '../database/keyset.ts';
import { rangesOf } from './ranges.ts';

/** A keyset cursor: an order of a list. `createdAtMs` is null when the order is gone and only its id is known. */
export interface PageCursor {
  readonly createdAtMs: number | null;
  readonly id: string;
}

const LISTED = ['created_at_ms', 'id'] as const;

/** A query for the ids of the first `limit` orders of a filter after a cursor; null when there is none. */
export async function pageOf(
  db: Database,
  filter: OrderFilter,
  { after, limit }: { after: PageCursor | null; limit: number },
): Promise<{ readonly ids: Knex.QueryBuilder } | null> {
  const { knex } = db;
  const ranges = (await rangesOf(db, filter)).map((range) => {
    if (after) startAfter(range, after);
    return newest(range.select('orders.created_at_ms', 'orders.id'), LISTED).limit(limit);
  });
  const [only, ...more] = ranges;
  if (!only) return null;
  if (more.length === 0) return { ids: knex.select('id').from(only.as('page')) };
  return { ids: newest(knex.select('id').from(together(db, ranges).as('ranges')), LISTED).limit(limit) };
}

function together({ knex, dialect }: Database, ranges: readonly Knex.QueryBuilder[]): Knex.QueryBuilder {
  if (dialect.limitsInUnions) return knex.queryBuilder().unionAll([...ranges], true);
  const whole = ranges.map((range, index) => knex.select('*').from(range.as(`range_${index}`)));
  return knex.queryBuilder().unionAll(whole);
}

function startAfter(query: Knex.QueryBuilder, { createdAtMs, id }: PageCursor): void {
  if (createdAtMs === null) query.where('orders.id', '<', id);
  else before(query, { createdAtMs, id }, ['orders.created_at_ms', 'orders.id']);
}
