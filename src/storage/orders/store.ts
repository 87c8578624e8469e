/** Reads of orders, by index. Nothing here writes. Spec 4.6. */

import type { Knex } from 'knex';
import { exactJson } from '#base/exact-json.ts';
import { reaches } from '#base/reach.ts';
import type { FindOrder, LoggedRequest, OrderSettlement, OrderStore } from '#orders/ports.ts';
import { codec, column } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { LIVE } from '../database/dialects/dialect.ts';
import { keyOf, newestFirst } from '../database/keyset.ts';
import { flag, int, intOrNull, money, type Row, text } from '../database/values.ts';
import { idempotencyFrom, orderFrom, orderWithUsageFrom } from '../records/order.ts';
import { RowReader } from '../records/readable.ts';
import { narrowed } from './filter.ts';
import { type PageCursor, pageOf } from './pages.ts';
import { readOrderTotals } from './totals.ts';

/** The order store over `db`. */
export function createOrderStore(db: Database): OrderStore {
  const { knex } = db;
  const reader = new RowReader(db, 'orders', orderWithUsageFrom);
  return {
    async find(reach, id) {
      const row: Row | undefined = await withUsage(knex, knex('orders')).where({ 'orders.id': id }).first();
      const order = row && reader.one(row);
      return order && reaches(reach, order) ? order : null;
    },

    async list(filter, { after, limit }) {
      const cursor = after === null ? null : await cursorOf(knex, after);
      return reader.page(limit, async (last) => {
        const page = await pageOf(db, filter, { after: last ? keyOf(last) : cursor, limit });
        if (!page) return [];
        const listed = knex.from(page.ids.as('listed')).join('orders', 'orders.id', 'listed.id');
        const rows: Row[] = await withUsage(knex, listed);
        return rows.sort((one, other) => newestFirst(keyOf(one), keyOf(other)));
      });
    },

    totals: (filter) => readOrderTotals(db, filter),

    async counts(filter) {
      const rows: Row[] = await narrowed(knex('orders'), filter)
        .whereRaw(LIVE)
        .groupBy('orders.status')
        .select('orders.status', knex.raw('COUNT(*) AS number'), knex.raw('MIN(created_at_ms) AS oldest'));
      const of = (status: string): Row | undefined => rows.find((row) => row.status === status);
      return {
        queued: int(of('queued')?.number ?? 0),
        executing: int(of('executing')?.number ?? 0),
        oldestQueuedAtMs: intOrNull(of('queued')?.oldest),
      };
    },

    async body(orderId) {
      const row: Row | undefined = await knex('order_bodies').where({ order_id: orderId }).first('body');
      return row ? (exactJson(text(row.body)) as Awaited<ReturnType<OrderStore['body']>>) : null;
    },

    async findKeys(accountId, endpoint, keys) {
      const rows: Row[] = await knex('idempotency_keys')
        .where({ account_id: accountId, endpoint })
        .whereIn('idempotency_key', [...keys]);
      return rows.map(idempotencyFrom);
    },
  };
}

function withUsage(knex: Knex, orders: Knex.QueryBuilder): Knex.QueryBuilder {
  return orders
    .leftJoin('usage_records', 'usage_records.order_id', 'orders.id')
    .select(
      'orders.*',
      'usage_records.prompt_tokens AS usage_prompt_tokens',
      'usage_records.cached_tokens AS usage_cached_tokens',
      'usage_records.output_tokens AS usage_output_tokens',
      'usage_records.estimated AS usage_estimated',
      knex.raw('usage_records.charged - usage_records.refunded AS usage_charged'),
    );
}

async function cursorOf(knex: Knex, id: string): Promise<PageCursor> {
  const row: Row | undefined = await knex('orders').where({ id }).first('created_at_ms');
  return { createdAtMs: row ? int(row.created_at_ms) : null, id };
}

/** Over `db`. */
export function findOrderIn(db: Database): FindOrder {
  const { knex } = db;
  const reader = new RowReader(db, 'orders', orderFrom);
  return async (id) => {
    const row: Row | undefined = await knex('orders').where({ id }).first();
    if (!row) return null;
    const usage: Row | undefined = await knex('usage_records').where({ order_id: id }).first();
    return { order: reader.one(row), settlement: usage ? settlementFrom(usage) : null };
  };
}

const { from: settlementFrom } = codec<OrderSettlement>({
  atMs: column('created_at_ms', int),
  promptTokens: int,
  cachedTokens: int,
  outputTokens: int,
  price: column('level_at_execution', int),
  charged: money,
  refunded: money,
  writtenOff: money,
  atBid: money,
  estimated: flag,
  firstOutputAtMs: intOrNull,
});

/** The logged request of an order; null when there is none at `nowMs`. */
export async function findRequestLog(
  { knex }: Database,
  orderId: string,
  nowMs: number,
): Promise<LoggedRequest | null> {
  const row: Row | undefined = await knex('request_logs')
    .where({ order_id: orderId })
    .where('expires_at_ms', '>', nowMs)
    .first();
  if (!row) return null;
  return {
    orderId: text(row.order_id),
    accountId: text(row.account_id),
    expiresAtMs: int(row.expires_at_ms),
    body: exactJson(text(row.body)) as LoggedRequest['body'],
  };
}
