/** Reads of orders, through the indexes of the table. Nothing here writes. Spec 4.6. */
import type { Knex } from 'knex';
import type { IdempotencyRow } from '#orders/journal-port.ts';
import { type OrderRow, type OrderWithUsage, orderKinds } from '#orders/order.ts';
import type { OrderFilter, OrderStore, OrderTotals } from '#orders/ports.ts';
import type { Database } from './database.ts';
import { LIVE } from './dialects/dialect.ts';
import { idempotencyFrom } from './idempotency-record.ts';
import { narrowed, ofStatuses } from './order-filter.ts';
import { orderFrom, orderWithUsageFrom } from './order-record.ts';
import { orderTotals } from './order-totals.ts';
import { int, intOrNull, type Row, text } from './values.ts';

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
    const row: Row | undefined = await this.#withUsage().where('orders.id', id).first();
    return row && row.account_id === accountId ? orderWithUsageFrom(row) : null;
  }

  async list(filter: OrderFilter, page: { limit: number; after: string | null }): Promise<OrderWithUsage[]> {
    const after = page.after === null ? null : await this.#place(page.after);
    const groups = await this.#groups(filter);
    const pages = await Promise.all(groups.map((group) => this.#newest(group, after, page.limit)));
    if (pages.length === 1) return pages[0] ?? [];
    return pages.flat().sort(newestFirst).slice(0, page.limit);
  }

  /**
   * The filter, or several that add up to it: one model and kind at a time is a range of an index, in the order of the
   * list, however few of an account's orders it selects.
   */
  async #groups(filter: OrderFilter): Promise<OrderFilter[]> {
    const { model, kind, statuses } = filter;
    const apart = (model === null) !== (kind === null) && (statuses === null || statuses.includes('done'));
    if (!apart) return [filter];
    const models = model === null ? await this.#modelsOf(filter.accountId) : [model];
    const kinds = kind === null ? orderKinds : [kind];
    return models.flatMap((one) => kinds.map((other) => ({ ...filter, model: one, kind: other })));
  }

  /** Every model that the account has ordered from: one step in the index for each. */
  async #modelsOf(accountId: string): Promise<string[]> {
    const models: string[] = [];
    for (;;) {
      const row: Row | undefined = await this.#knex('orders')
        .where('account_id', accountId)
        .where('model', '>', models.at(-1) ?? '')
        .orderBy('model')
        .first('model');
      if (!row) return models;
      models.push(text(row.model));
    }
  }

  async #newest(filter: OrderFilter, after: Place | null, limit: number): Promise<OrderWithUsage[]> {
    const query = ofStatuses(narrowed(this.#withUsage(), filter), filter.statuses);
    if (after) startAfter(query, after);
    query.orderBy([
      { column: 'orders.created_at_ms', order: 'desc' },
      { column: 'orders.id', order: 'desc' },
    ]);
    const rows: Row[] = await query.limit(limit);
    return rows.map(orderWithUsageFrom);
  }

  totals(filter: OrderFilter): Promise<OrderTotals> {
    return orderTotals(this.#db, filter);
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

  /** The place of a row in (created, id); of one that is gone, its id is the only mark. */
  async #place(id: string): Promise<Place> {
    const row: Row | undefined = await this.#knex('orders').where({ id }).first('created_at_ms');
    return { createdAtMs: row ? int(row.created_at_ms) : null, id };
  }
}

interface Place {
  readonly createdAtMs: number | null;
  readonly id: string;
}

function startAfter(query: Knex.QueryBuilder, { createdAtMs, id }: Place): void {
  if (createdAtMs === null) {
    query.where('orders.id', '<', id);
    return;
  }
  query
    .where('orders.created_at_ms', '<=', createdAtMs)
    .where((either) => either.where('orders.created_at_ms', '<', createdAtMs).orWhere('orders.id', '<', id));
}

function newestFirst(one: OrderRow, other: OrderRow): number {
  if (one.createdAtMs !== other.createdAtMs) return other.createdAtMs - one.createdAtMs;
  return one.id < other.id ? 1 : -1;
}
