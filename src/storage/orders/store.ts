/** Reads of orders, by index. Nothing here writes. Spec 4.6. */

import type { Knex } from 'knex';
import { exactJson } from '#base/exact-json.ts';
import type { OrderRow, OrderWithUsage } from '#orders/order.ts';
import type { OrderFilter, OrderStore, OrderTotals } from '#orders/ports.ts';
import type { IdempotencyRow } from '#orders/units.ts';
import type { Database } from '../database/database.ts';
import { LIVE } from '../database/dialects/dialect.ts';
import { newestFirst } from '../database/keyset.ts';
import { int, intOrNull, type Row, text } from '../database/values.ts';
import { idempotencyFrom } from '../records/idempotency.ts';
import { orderFrom, orderWithUsageFrom } from '../records/order.ts';
import { narrowed } from './filter.ts';
import { liveIds, pagesOf } from './live.ts';
import { type PageCursor, pageOf } from './pages.ts';
import { readOrderTotals } from './totals.ts';

const LIVE_PAGE = 1000;

/** The order store over `db`. */
export function createOrderStore(db: Database): OrderStore {
  return new SqlOrderStore(db);
}

class SqlOrderStore implements OrderStore {
  readonly #db: Database;
  readonly #knex: Knex;

  constructor(db: Database) {
    this.#db = db;
    this.#knex = db.knex;
  }

  async find(accountId: string, id: string): Promise<OrderWithUsage | null> {
    const owned = { 'orders.id': id, 'orders.account_id': accountId };
    const row: Row | undefined = await this.#withUsage(this.#knex('orders')).where(owned).first();
    return row ? orderWithUsageFrom(row) : null;
  }

  async list(
    filter: OrderFilter,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<OrderWithUsage[]> {
    const cursor = after === null ? null : await this.#cursorOf(after);
    const page = await pageOf(this.#db, filter, { after: cursor, limit });
    if (!page) return [];
    const listed = this.#knex.from(page.ids.as('listed')).join('orders', 'orders.id', 'listed.id');
    const rows: Row[] = await this.#withUsage(listed);
    return rows.map(orderWithUsageFrom).sort(newestFirst);
  }

  totals(filter: OrderFilter): Promise<OrderTotals> {
    return readOrderTotals(this.#db, filter);
  }

  async counts(filter: OrderFilter): Promise<{ queued: number; executing: number; oldestQueuedAtMs: number | null }> {
    const rows: Row[] = await narrowed(this.#knex('orders'), filter)
      .whereRaw(LIVE)
      .groupBy('orders.status')
      .select('orders.status', this.#knex.raw('COUNT(*) AS number'), this.#knex.raw('MIN(created_at_ms) AS oldest'));
    const of = (status: string): Row | undefined => rows.find((row) => row.status === status);
    return {
      queued: int(of('queued')?.number ?? 0),
      executing: int(of('executing')?.number ?? 0),
      oldestQueuedAtMs: intOrNull(of('queued')?.oldest),
    };
  }

  async live(): Promise<OrderRow[]> {
    const orders: OrderRow[] = [];
    for (const page of pagesOf(await liveIds(this.#db), LIVE_PAGE)) {
      const rows: Row[] = await this.#knex('orders').whereIn('id', page).orderBy('id');
      // Not a condition of the query: some planners would then read every live order for each page.
      for (const row of rows.filter(isLive)) orders.push({ ...orderFrom(row), customId: null });
    }
    return orders;
  }

  async body(orderId: string): ReturnType<OrderStore['body']> {
    const row: Row | undefined = await this.#knex('order_bodies').where({ order_id: orderId }).first('body');
    return row ? (exactJson(text(row.body)) as Awaited<ReturnType<OrderStore['body']>>) : null;
  }

  async findKey(accountId: string, endpoint: string, key: string): Promise<IdempotencyRow | null> {
    const row: Row | undefined = await this.#knex('idempotency_keys')
      .where({ account_id: accountId, endpoint, idempotency_key: key })
      .first();
    return row ? idempotencyFrom(row) : null;
  }

  #withUsage(orders: Knex.QueryBuilder): Knex.QueryBuilder {
    return orders
      .leftJoin('usage_records', 'usage_records.order_id', 'orders.id')
      .select(
        'orders.*',
        'usage_records.prompt_tokens AS usage_prompt_tokens',
        'usage_records.cached_tokens AS usage_cached_tokens',
        'usage_records.output_tokens AS usage_output_tokens',
        this.#knex.raw('usage_records.charged - usage_records.refunded AS usage_charged'),
      );
  }

  async #cursorOf(id: string): Promise<PageCursor> {
    const row: Row | undefined = await this.#knex('orders').where({ id }).first('created_at_ms');
    return { createdAtMs: row ? int(row.created_at_ms) : null, id };
  }
}

function isLive({ status }: Row): boolean {
  return status === 'queued' || status === 'executing';
}
