/** Usage records, and their totals from daily sums: only the edges of a range are summed row by row. Spec 2.4, 4.7. */

import type { Knex } from 'knex';
import type { NanoUsd } from '#base/money.ts';
import { type Reach, reachColumns } from '#base/reach.ts';
import { DAY_MS } from '#base/time.ts';
import { column, described, type ObjectOf } from '#storage/database/codec.ts';
import type { Database } from '#storage/database/database.ts';
import { keyOf, newestAfter, newestAmong, newestFirst, type RowKey, slices } from '#storage/database/keyset.ts';
import { split, type Units } from '#storage/database/periods.ts';
import { reading } from '#storage/database/transaction.ts';
import { int, kind, money, oneOf, orNull, type Row, text, textOrNull } from '#storage/database/values.ts';
import { tagList } from '#storage/records/order.ts';
import { RowReader } from '#storage/records/readable.ts';

/** How many records of an account one statement sums. */
const SLICE = 5000;

/** The usage records. The id of a record is that of its order, which has only one. */
const records = described({
  id: column('order_id', text),
  model: text,
  createdAtMs: int,
  promptTokens: int,
  cachedTokens: int,
  outputTokens: int,
  price: column('level_at_execution', int),
  pricing: oneOf(['market', 'fixed']),
  charged: money,
  /** Of its order. */
  tags: orNull(tagList),
});

/** One settled order. Spec 2.4. `charged` is net of refunds. */
export type UsageRow = ObjectOf<typeof records> & { readonly orderId: string };

const usageDays = described({
  day: int,
  model: text,
  /** Null for orders of no key, which are counted under an empty one. */
  keyId: kind<string | null>(
    (stored) => text(stored) || null,
    (id) => id ?? '',
  ),
  /** As it is now. */
  keyName: textOrNull,
  requests: int,
  charged: money,
});

/** What was charged on a day (UTC, counted from the epoch), for one model and key, net of refunds. */
export type UsageDay = ObjectOf<typeof usageDays>;

/** The filters of GET /v1/usage. Time bounds are inclusive and apply to the settlement time. */
export interface UsageFilter extends Reach {
  readonly model: string | null;
  /** Null or absent for any. */
  readonly tag?: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Reads usage records and sums. */
export class UsageStore {
  readonly #db: Database;
  readonly #reader: RowReader<UsageRow>;

  constructor(db: Database) {
    this.#db = db;
    this.#reader = new RowReader(db, 'usage_records', usageFrom);
  }

  /** Newest first. `after`: the settlement time and id of the last row on the previous page. */
  async list(filter: UsageFilter, { limit, after }: { limit: number; after: RowKey | null }): Promise<UsageRow[]> {
    return this.#reader.page(limit, async (last) => {
      const { keys } = await this.#keys(filter, { limit, after: last ? keyOf(last) : after });
      const rows: Row[] = await this.#db.knex
        .from(keys.as('listed'))
        .join('usage_records', (on) => {
          for (const column of KEY) on.on(`usage_records.${column}`, `listed.${column}`);
        })
        .join('orders', 'orders.id', 'usage_records.order_id')
        .select('usage_records.*', 'usage_records.order_id as id', 'orders.tags');
      return rows.sort((one, other) => newestFirst(keyOf(one), keyOf(other)));
    });
  }

  /** First only the keys, from an index that serves one model or all: SQLite would otherwise read every record. */
  async #keys(
    filter: UsageFilter,
    { limit, after }: { readonly limit: number; readonly after: RowKey | null },
  ): Promise<{ readonly keys: Knex.QueryBuilder }> {
    const { knex } = this.#db;
    const columns = timeAndId(tableOf(filter));
    const among = () => rowsOf(this.#db, knex, filter);
    // An index serves an account, one model of it, or a key, and not a model of a key.
    if (filter.tag == null && (filter.keyId === null || filter.model === null))
      return { keys: newestAfter(among().select(KEY), after, columns).limit(limit) };
    const entries = () => entriesOf(this.#db, knex, filter);
    const found = await newestAmong({ entries, among }, columns, { after, limit, size: SLICE });
    const ids = found.map(({ id }) => id);
    return { keys: knex('usage_records').whereIn('order_id', ids).select(KEY) };
  }

  /** All parts are read from one snapshot. */
  totals(filter: UsageFilter): Promise<{ requests: number; charged: NanoUsd }> {
    return reading(this.#db, async (trx) => {
      // No sums of a tag are stored.
      const { whole, edges } =
        tableOf(filter) === 'usage_records' ? split(filter, DAY_MS) : { whole: null, edges: [filter] };
      const sums = whole ? [await daySums(trx, filter, whole)] : [];
      for (const edge of edges) sums.push(...(await edgeSums(this.#db, trx, { ...filter, ...edge })));
      return {
        requests: sums.reduce((sum, row) => sum + int(row.requests ?? 0), 0),
        charged: sums.reduce((sum, row) => sum + money(row.charged), 0n),
      };
    });
  }

  /** The sums of the days from `first` to `last`, the newest first, at most `limit`. Every settlement adds to them. */
  async days(
    accountId: string,
    { first, last, limit }: { readonly first: number; readonly last: number; readonly limit: number },
  ): Promise<UsageDay[]> {
    const rows: Row[] = await this.#db
      .knex('usage_days')
      .leftJoin('api_keys', 'api_keys.id', 'usage_days.key_id')
      .where('usage_days.account_id', accountId)
      .whereBetween('usage_days.day', [first, last])
      .orderBy([{ column: 'usage_days.day', order: 'desc' }, 'usage_days.model', 'usage_days.key_id'])
      .limit(limit)
      .select('usage_days.*', 'api_keys.name as key_name');
    return rows.map(usageDays.from);
  }
}

function usageFrom(row: Row): UsageRow {
  const record = records.from(row);
  return { ...record, orderId: record.id, charged: record.charged - money(row.refunded) };
}

const KEY = ['account_id', 'created_at_ms', 'order_id'] as const;

/** What has the records of a filter in the order of their time: their own table, or the index of tags. */
function tableOf({ tag = null }: UsageFilter): 'usage_records' | 'usage_tags' {
  return tag === null ? 'usage_records' : 'usage_tags';
}

function timeAndId(table: ReturnType<typeof tableOf>) {
  return [`${table}.created_at_ms`, `${table}.order_id`] as const;
}

function rowsOf({ dialect }: Database, knex: Knex, filter: UsageFilter): Knex.QueryBuilder {
  const { accountId, keyId, model, tag = null, fromMs, toMs } = filter;
  const table = tableOf(filter);
  const same = KEY.map((column) => `usage_records.${column} = usage_tags.${column}`).join(' AND ');
  const query =
    tag === null
      ? knex(table)
      : knex.from(knex.raw(`usage_tags ${dialect.joinInOrder} usage_records ON ${same}`)).where({ tag });
  // A key is of one account. With both columns a query planner may read all records of the account.
  if (keyId === null || tag !== null) query.where(`${table}.account_id`, accountId);
  if (keyId !== null) query.where('usage_records.key_id', keyId);
  if (model !== null) query.where('usage_records.model', model);
  return within(query, table, { fromMs, toMs });
}

function within(
  query: Knex.QueryBuilder,
  table: ReturnType<typeof tableOf>,
  { fromMs, toMs }: Pick<UsageFilter, 'fromMs' | 'toMs'>,
): Knex.QueryBuilder {
  if (fromMs !== null) query.where(`${table}.created_at_ms`, '>=', fromMs);
  if (toMs !== null) query.where(`${table}.created_at_ms`, '<=', toMs);
  return query;
}

/** The stored sums of whole days. */
async function daySums(trx: Knex.Transaction, { model, ...reach }: UsageFilter, days: Units): Promise<Row> {
  const query = trx('usage_days').where(reachColumns(reach));
  if (model !== null) query.where('model', model);
  if (days.first !== null) query.where('day', '>=', days.first);
  if (days.last !== null) query.where('day', '<=', days.last);
  return query.first(trx.raw('SUM(requests) AS requests'), trx.raw('SUM(charged) AS charged'));
}

/** The entries of one index, more than a filter selects. */
function entriesOf(db: Database, knex: Knex, filter: UsageFilter): Knex.QueryBuilder {
  const { accountId: account_id, tag = null, fromMs, toMs } = filter;
  if (tag === null) return rowsOf(db, knex, { ...filter, model: null });
  return within(knex('usage_tags').where({ account_id, tag }), 'usage_tags', { fromMs, toMs });
}

/** Less than a day, row by row, in slices of the records of every model: a read blocks the thread on SQLite. */
async function edgeSums(db: Database, trx: Knex.Transaction, filter: UsageFilter): Promise<Row[]> {
  const sums: Row[] = [];
  const all = () => entriesOf(db, trx, filter);
  for await (const narrowed of slices(all, timeAndId(tableOf(filter)), SLICE)) {
    const query = narrowed(rowsOf(db, trx, filter));
    sums.push(await query.first(trx.raw('COUNT(*) AS requests'), trx.raw('SUM(charged - refunded) AS charged')));
  }
  return sums;
}
