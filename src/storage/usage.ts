/** Usage records, and their totals from the daily sums: only the edges of a range are counted row by row. Spec 2.4, 4.7. */
import type { Knex } from 'knex';
import type { UsageFilter, UsagePage, UsageRow, UsageStore } from '#ledger/ports.ts';
import type { Database } from './database.ts';
import { DAY_MS, split } from './days.ts';
import { flag, int, money, oneOf, type Row, text } from './values.ts';

/** The usage store over `db`. */
export function createUsageStore({ knex }: Database): UsageStore {
  return {
    async list(filter, page) {
      // The keys first, which an index holds for one model as for all: SQLite would rather look at every record.
      const listed = pageOf(knex, filter, page).as('listed');
      const rows: Row[] = await knex
        .from(listed)
        .join('usage_records', (on) => {
          for (const column of KEY) on.on(`usage_records.${column}`, `listed.${column}`);
        })
        .select('usage_records.*');
      return rows.map(usageFrom).sort(newestFirst);
    },

    async totals(filter) {
      // One statement, so that the parts are read at one moment.
      const parts = partsOf(knex, filter);
      const [head, ...rest] = parts;
      if (!head) return { requests: 0, charged: 0n };
      const rows: Row[] = await head.unionAll(rest);
      return {
        requests: rows.reduce((sum, row) => sum + int(row.requests ?? 0), 0),
        charged: rows.reduce((sum, row) => sum + money(row.charged), 0n),
      };
    },
  };
}

/** The id of a usage record is the id of its order: there is one record per order. */
function usageFrom(row: Row): UsageRow {
  return {
    id: text(row.order_id),
    orderId: text(row.order_id),
    accountId: text(row.account_id),
    model: text(row.model),
    createdAtMs: int(row.created_at_ms),
    promptTokens: int(row.prompt_tokens),
    cachedTokens: int(row.cached_tokens),
    outputTokens: int(row.output_tokens),
    levelAtExecution: int(row.level_at_execution),
    charged: money(row.charged) - money(row.refunded),
    writtenOff: money(row.written_off),
    estimated: flag(row.estimated),
    pricing: oneOf(['market', 'fixed'] as const, row.pricing),
  };
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
  if (!after) return query;
  // The first condition is for the index: neither database sees a range in the second.
  return query
    .where('created_at_ms', '<=', after.createdAtMs)
    .where((either) => either.where('created_at_ms', '<', after.createdAtMs).orWhere('order_id', '<', after.id));
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

/** The whole days of the range from the sums, and what hangs over at either end from the rows. */
function partsOf(knex: Knex, filter: UsageFilter): Knex.QueryBuilder[] {
  const { accountId, model } = filter;
  const { whole: days, edges } = split(filter, DAY_MS);
  const parts = edges.map((edge) =>
    rowsOf(knex, { ...filter, ...edge }).select(
      knex.raw('COUNT(*) AS requests'),
      knex.raw('SUM(charged - refunded) AS charged'),
    ),
  );
  if (!days) return parts;
  const sums = knex('usage_days').where('account_id', accountId);
  if (model !== null) sums.where('model', model);
  if (days.first !== null) sums.where('day', '>=', days.first);
  if (days.last !== null) sums.where('day', '<=', days.last);
  parts.push(sums.select(knex.raw('SUM(requests) AS requests'), knex.raw('SUM(charged) AS charged')));
  return parts;
}
