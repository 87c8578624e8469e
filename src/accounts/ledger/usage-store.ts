/** Usage records, and their totals from daily sums: only the edges of a range are summed row by row. Spec 2.4, 4.7. */

import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { DAY_MS } from '#base/time.ts';
import type { UsageFilter, UsagePage, UsageRow, UsageStore } from '#ledger/ports.ts';
import { codec, column } from '#storage/database/codec.ts';
import type { Database } from '#storage/database/database.ts';
import { split, type Units } from '#storage/database/periods.ts';
import { int, money, oneOf, type Row, text } from '#storage/database/values.ts';

/** How many records of an account one statement sums. */
const SLICE = 5000;

/** The usage store over `db`. */
export function createUsageStore({ knex }: Database): UsageStore {
  return {
    async list(filter, page) {
      // First only the keys, from an index that serves one model or all: SQLite would otherwise read every record.
      const listed = pageOf(knex, filter, page).as('listed');
      const rows: Row[] = await knex
        .from(listed)
        .join('usage_records', (on) => {
          for (const column of KEY) on.on(`usage_records.${column}`, `listed.${column}`);
        })
        .select('usage_records.*');
      return rows.map(usageFrom).sort(newestFirst);
    },

    totals(filter) {
      // A read-only transaction, so that all parts are read from one snapshot.
      return knex.transaction(async (trx) => {
        const { whole, edges } = split(filter, DAY_MS);
        const sums = whole ? [await daySums(trx, filter, whole)] : [];
        for (const edge of edges) sums.push(...(await edgeSums(trx, { ...filter, ...edge })));
        return {
          requests: sums.reduce((sum, row) => sum + int(row.requests ?? 0), 0),
          charged: sums.reduce((sum, row) => sum + money(row.charged), 0n),
        };
      });
    },
  };
}

/** The usage records, without refunds. The id of a record is that of its order, which has only one. */
const { from: recordFrom } = codec<Omit<UsageRow, 'orderId' | 'charged'>>({
  id: column('order_id', text),
  model: text,
  createdAtMs: int,
  promptTokens: int,
  cachedTokens: int,
  outputTokens: int,
  price: column('level_at_execution', int),
  pricing: oneOf(['market', 'fixed']),
});

function usageFrom(row: Row): UsageRow {
  const record = recordFrom(row);
  return { ...record, orderId: record.id, charged: money(row.charged) - money(row.refunded) };
}

const KEY = ['account_id', 'created_at_ms', 'order_id'] as const;

function pageOf(knex: Knex, filter: UsageFilter, { after, limit }: UsagePage): Knex.QueryBuilder {
  const query = rowsOf(knex, filter)
    .select(KEY)
    .orderBy([
      { column: 'created_at_ms', order: 'desc' },
      { column: 'order_id', order: 'desc' },
    ])
    .limit(limit);
  if (after) before(query, after);
  return query;
}

function newestFirst(one: UsageRow, other: UsageRow): number {
  if (one.createdAtMs !== other.createdAtMs) return other.createdAtMs - one.createdAtMs;
  return one.id < other.id ? 1 : -1;
}

function rowsOf(knex: Knex, { accountId, model, fromMs, toMs }: UsageFilter): Knex.QueryBuilder {
  const query = knex('usage_records').where('account_id', accountId);
  if (model !== null) query.where('model', model);
  if (fromMs !== null) query.where('created_at_ms', '>=', fromMs);
  if (toMs !== null) query.where('created_at_ms', '<=', toMs);
  return query;
}

/** The stored sums of whole days. */
async function daySums(trx: Knex.Transaction, { accountId, model }: UsageFilter, days: Units): Promise<Row> {
  const query = trx('usage_days').where('account_id', accountId);
  if (model !== null) query.where('model', model);
  if (days.first !== null) query.where('day', '>=', days.first);
  if (days.last !== null) query.where('day', '<=', days.last);
  return query.first(trx.raw('SUM(requests) AS requests'), trx.raw('SUM(charged) AS charged'));
}

/** Less than a day, row by row, in slices: a read blocks the thread on SQLite. */
async function edgeSums(trx: Knex.Transaction, filter: UsageFilter): Promise<Row[]> {
  const sums: Row[] = [];
  let from: RowKey | null = null;
  do {
    const next: RowKey | null = await keyAfterSlice(trx, filter, from);
    const query = rowsOf(trx, filter);
    if (from) notBefore(query, from);
    if (next) before(query, next);
    sums.push(await query.first(trx.raw('COUNT(*) AS requests'), trx.raw('SUM(charged - refunded) AS charged')));
    from = next;
    if (from) await setImmediate();
  } while (from);
  return sums;
}

/** A keyset cursor: a row, by the order of the table. */
interface RowKey {
  readonly createdAtMs: number;
  readonly id: string;
}

/** Where the slice after the one from `from` begins, among the records of every model; null after the last. */
async function keyAfterSlice(trx: Knex.Transaction, filter: UsageFilter, from: RowKey | null): Promise<RowKey | null> {
  const query = rowsOf(trx, { ...filter, model: null });
  if (from) notBefore(query, from);
  const row: Row | undefined = await query
    .orderBy(['created_at_ms', 'order_id'])
    .offset(SLICE)
    .first('created_at_ms', 'order_id');
  return row ? { createdAtMs: int(row.created_at_ms), id: text(row.order_id) } : null;
}

/** The first condition is for the index: neither database finds a range in the second. */
function notBefore(query: Knex.QueryBuilder, { createdAtMs, id }: RowKey): void {
  query
    .where('created_at_ms', '>=', createdAtMs)
    .where((either) => either.where('created_at_ms', '>', createdAtMs).orWhere('order_id', '>=', id));
}

function before(query: Knex.QueryBuilder, { createdAtMs, id }: RowKey): void {
  query
    .where('created_at_ms', '<=', createdAtMs)
    .where((either) => either.where('created_at_ms', '<', createdAtMs).orWhere('order_id', '<', id));
}
