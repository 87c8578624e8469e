/** Reads of orders, through the indexes of the table. Nothing here writes. Spec 4.6. */
import type { Knex } from 'knex';
import type { OrderRow, OrderWithUsage } from '#orders/order.ts';
import type { IdempotencyRow, OrderFilter, OrderStore, OrderTotals } from '#orders/ports.ts';
import type { Database } from './database.ts';
import { type Dialect, FAILED, LIVE } from './dialects/dialect.ts';
import { idempotencyFrom } from './idempotency-record.ts';
import { orderFrom, orderWithUsageFrom } from './order-record.ts';
import { int, intOrNull, money, type Row, text } from './values.ts';

const LIVE_PAGE = 1000;

/** The order store over `db`. */
export function createOrderStore(db: Database): OrderStore {
  return new SqlOrderStore(db);
}

class SqlOrderStore implements OrderStore {
  readonly #knex: Knex;
  readonly #dialect: Dialect;

  constructor({ knex, dialect }: Database) {
    this.#knex = knex;
    this.#dialect = dialect;
  }

  async find(accountId: string, id: string): Promise<OrderWithUsage | null> {
    const row: Row | undefined = await this.#withUsage().where('orders.id', id).first();
    return row && row.account_id === accountId ? orderWithUsageFrom(row) : null;
  }

  async list(filter: OrderFilter, page: { limit: number; after: string | null }): Promise<OrderWithUsage[]> {
    const query = narrowed(this.#withUsage(), filter);
    ofStatuses(query, filter.statuses);
    if (page.after !== null) await this.#startAfter(query, page.after);
    query.orderBy([
      { column: 'orders.created_at_ms', order: 'desc' },
      { column: 'orders.id', order: 'desc' },
    ]);
    const rows: Row[] = await query.limit(page.limit);
    return rows.map(orderWithUsageFrom);
  }

  async totals(filter: OrderFilter): Promise<OrderTotals> {
    const net = 'usage_records.charged - usage_records.refunded';
    const query = narrowed(this.#joined(), filter).first(
      this.#knex.raw('COUNT(*) AS orders'),
      this.#knex.raw("SUM(CASE WHEN orders.status IN ('error', 'expired') THEN 1 ELSE 0 END) AS failed"),
      this.#knex.raw('COUNT(orders.price_limit) AS market_orders'),
      ...this.#sum(net, 'charged'),
      ...this.#sum(onMarket('usage_records.at_bid'), 'at_bid'),
      ...this.#sum(onMarket(net), 'market_charged'),
    );
    ofStatuses(query, filter.statuses);
    const row: Row = await query;
    const atBid = exact(row, 'at_bid');
    return {
      orders: int(row.orders),
      failed: int(row.failed ?? 0),
      marketOrders: int(row.market_orders),
      charged: exact(row, 'charged'),
      atBid,
      saved: atBid - exact(row, 'market_charged'),
    };
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
    for (let after = ''; ; ) {
      const rows: Row[] = await this.#knex('orders')
        .whereRaw(LIVE)
        .where('id', '>', after)
        .orderBy('id')
        .limit(LIVE_PAGE);
      for (const row of rows) orders.push(orderFrom(row));
      const last = rows.at(-1);
      if (!last || rows.length < LIVE_PAGE) return orders;
      after = text(last.id);
    }
  }

  async body(orderId: string): ReturnType<OrderStore['body']> {
    const row: Row | undefined = await this.#knex('order_bodies').where({ order_id: orderId }).first('body');
    return row ? JSON.parse(text(row.body)) : null;
  }

  async findKey(accountId: string, endpoint: string, key: string): Promise<IdempotencyRow | null> {
    const row: Row | undefined = await this.#knex('idempotency_keys')
      .where({ account_id: accountId, endpoint, idempotency_key: key })
      .first();
    return row ? idempotencyFrom(row) : null;
  }

  #joined(): Knex.QueryBuilder {
    return this.#knex('orders').leftJoin('usage_records', 'usage_records.order_id', 'orders.id');
  }

  #withUsage(): Knex.QueryBuilder {
    return this.#joined().select(
      'orders.*',
      'usage_records.prompt_tokens AS usage_prompt_tokens',
      'usage_records.cached_tokens AS usage_cached_tokens',
      'usage_records.output_tokens AS usage_output_tokens',
      this.#knex.raw('usage_records.charged - usage_records.refunded AS usage_charged'),
    );
  }

  /** The place of the last row in (created, id); a row that is gone leaves its id as the only mark. */
  async #startAfter(query: Knex.QueryBuilder, after: string): Promise<void> {
    const row: Row | undefined = await this.#knex('orders').where({ id: after }).first('created_at_ms');
    if (!row) {
      query.where('orders.id', '<', after);
      return;
    }
    const createdAtMs = int(row.created_at_ms);
    query
      .where('orders.created_at_ms', '<=', createdAtMs)
      .where((either) => either.where('orders.created_at_ms', '<', createdAtMs).orWhere('orders.id', '<', after));
  }

  #sum(expression: string, name: string): Knex.Raw[] {
    const { high, low } = this.#dialect.exactSum(expression);
    return [this.#knex.raw(`SUM(${high}) AS ${name}_high`), this.#knex.raw(`SUM(${low}) AS ${name}_low`)];
  }
}

/** Every filter but the statuses. */
function narrowed(query: Knex.QueryBuilder, filter: OrderFilter): Knex.QueryBuilder {
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
function ofStatuses(query: Knex.QueryBuilder, statuses: readonly string[] | null): void {
  if (!statuses) return;
  if (statuses.every((status) => status === 'queued' || status === 'executing')) query.whereRaw(LIVE);
  else if (!statuses.some((status) => status === 'queued' || status === 'executing' || status === 'done')) {
    query.whereRaw(FAILED);
  }
  query.whereIn('orders.status', [...statuses]);
}

/** Only a market order has a price limit. */
function onMarket(expression: string): string {
  return `CASE WHEN orders.price_limit IS NULL THEN 0 ELSE ${expression} END`;
}

function exact(row: Row, name: string): bigint {
  return money(row[`${name}_high`]) * 1_000_000_000n + money(row[`${name}_low`]);
}
