/**
 * Totals of a filtered set of orders. Ended orders come from stored sums by day and by hour where a period has whole
 * ones; the rest (live orders, less than an hour at the ends of a period, one batch) is summed row by row, a bounded
 * slice of an index at a time, since a read blocks the thread on SQLite. Spec 4.6.
 */
import type { Knex } from 'knex';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import type { OrderFilter, OrderTotals } from '#orders/ports.ts';
import type { Database } from '../database/database.ts';
import { LIVE } from '../database/dialects/dialect.ts';
import { slices } from '../database/keyset.ts';
import { isEmpty, overlap, type Period, split, type Units } from '../database/periods.ts';
import { reading } from '../database/transaction.ts';
import { int, money, type Row } from '../database/values.ts';
import { CLOCK_STEP_MS, indexedBy, isWholeId, narrowed, sourceOf, statusesOf, timeOfIds, widened } from './filter.ts';

/** How many rows of an account one statement sums. */
const SLICE = 2000;

/** The totals of `filter`, all read from one snapshot. */
export async function readOrderTotals(db: Database, filter: OrderFilter): Promise<OrderTotals> {
  return reading(db, async (trx) => {
    const sums = new Sums();
    const { live, ended } = statusesOf(filter);
    const rows = (part: Period) => addRows(trx, db, { ...filter, ...part, statuses: ended }, sums);
    sums.add(
      await rowSums(
        db,
        narrowed(joined(trx('orders')), filter)
          .whereRaw(LIVE)
          .whereIn('orders.status', live),
      ),
    );
    const { known, counted } = partsOf(filter);
    for (const part of counted) await rows(part);
    const days = split(known, DAY_MS);
    if (days.whole) sums.add(await unitSums(trx, 'day', { ...filter, statuses: ended }, days.whole));
    for (const edge of days.edges) {
      const hours = split(edge, HOUR_MS);
      if (hours.whole) sums.add(await unitSums(trx, 'hour', { ...filter, statuses: ended }, hours.whole));
      for (const part of hours.edges) await rows(part);
    }
    return sums.totals();
  });
}

const NEVER: Period = { fromMs: 0, toMs: -1 };

/**
 * The periods of a filter whose sums are stored, and those whose rows must be summed: of a key or tag, for a batch, and at both ends of
 * the period of an id prefix, where not every order has such an id.
 */
function partsOf({ keyId, idPrefix, tag = null, batchId, fromMs, toMs }: OrderFilter): {
  known: Period;
  counted: readonly Period[];
} {
  const asked = { fromMs, toMs };
  const lines = batchId !== null && batchId !== 'none';
  if (keyId !== null || tag !== null || lines || (idPrefix !== null && isWholeId(idPrefix)))
    return { known: NEVER, counted: [asked] };
  if (idPrefix === null) return { known: asked, counted: [] };
  const ids = timeOfIds(idPrefix);
  if (!ids) return { known: NEVER, counted: [] };
  const known = { fromMs: ids.fromMs + CLOCK_STEP_MS, toMs: ids.toMs - CLOCK_STEP_MS };
  if (isEmpty(known)) return { known: NEVER, counted: [overlap(asked, widened(ids))] };
  const ends = [
    { fromMs: ids.fromMs - CLOCK_STEP_MS, toMs: known.fromMs - 1 },
    { fromMs: known.toMs + 1, toMs: ids.toMs + CLOCK_STEP_MS },
  ];
  return { known: overlap(asked, known), counted: ends.map((end) => overlap(asked, end)) };
}

/** Adds up the rows of all queries. */
class Sums {
  readonly #orders = { all: 0, failed: 0, market: 0 };
  #charged = 0n;
  #marketCharged = 0n;
  #atBid = 0n;

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      const orders = int(row.orders);
      const market = int(row.market) === 1;
      this.#orders.all += orders;
      if (row.status === 'error' || row.status === 'expired') this.#orders.failed += orders;
      this.#charged += money(row.charged);
      if (!market) continue;
      this.#orders.market += orders;
      this.#marketCharged += money(row.charged);
      this.#atBid += money(row.at_bid_usd) * 1_000_000_000n + money(row.at_bid_nano);
    }
  }

  totals(): OrderTotals {
    return {
      orders: this.#orders.all,
      failed: this.#orders.failed,
      marketOrders: this.#orders.market,
      charged: this.#charged,
      atBid: this.#atBid,
      saved: this.#atBid - this.#marketCharged,
    };
  }
}

/** The stored sums of whole days or hours. */
async function unitSums(
  trx: Knex.Transaction,
  unit: 'day' | 'hour',
  { accountId, model, kind, batchId, statuses }: OrderFilter,
  { first, last }: Units,
): Promise<Row[]> {
  const query = trx(`order_${unit}s`).where('account_id', accountId);
  if (first !== null) query.where(unit, '>=', first);
  if (last !== null) query.where(unit, '<=', last);
  if (model !== null) query.where('model', model);
  if (kind !== null) query.where('kind', kind);
  if (batchId === 'none') query.where('in_batch', 0);
  if (statuses) query.whereIn('status', [...statuses]);
  return query
    .groupBy('status', 'market')
    .select('status', 'market', ...sumsOf(trx, ['orders', 'charged', 'at_bid_usd', 'at_bid_nano']));
}

function sumsOf(trx: Knex.Transaction, columns: readonly string[]): Knex.Raw[] {
  return columns.map((column) => trx.raw(`SUM(${column}) AS ${column}`));
}

/** Sums row by row, slice by slice, the orders that the account created in the period, or the lines of a batch. */
async function addRows(trx: Knex.Transaction, db: Database, filter: OrderFilter, sums: Sums): Promise<void> {
  if (isEmpty(filter) || filter.statuses?.length === 0) return;
  const { key, rows: source } = sourceOf(filter, db.dialect);
  const rows = () => narrowed(joined(source(trx)), filter).whereIn('orders.status', [...(filter.statuses ?? [])]);
  const sliced = slicedRows(trx, db, filter);
  if (sliced === null) sums.add(await rowSums(db, rows()));
  else for await (const slice of slices(sliced, key, SLICE)) sums.add(await rowSums(db, slice(rows())));
}

/** The rows that slices are cut from, which one index has; null where there are few. */
function slicedRows(
  trx: Knex.Transaction,
  { dialect }: Database,
  filter: OrderFilter,
): (() => Knex.QueryBuilder) | null {
  const { batchId, idPrefix, tag = null } = filter;
  if (idPrefix !== null && isWholeId(idPrefix)) return null;
  const lines = batchId !== null && batchId !== 'none';
  if (!lines || tag !== null) return () => indexedBy(trx, filter);
  // MySQL has no index of lines only, by time. A batch is small, and reading it blocks nobody there.
  return dialect.partialIndexes ? () => indexedBy(trx, filter).where({ batch_id: batchId }) : null;
}

function joined(orders: Knex.QueryBuilder): Knex.QueryBuilder {
  return orders.leftJoin('usage_records', 'usage_records.order_id', 'orders.id');
}

/** Groups the rows of a query like the daily sums. A sum of amounts at bids may exceed 64 bits, so it has two parts. */
async function rowSums({ knex, dialect }: Database, query: Knex.QueryBuilder): Promise<Row[]> {
  const { high, low } = dialect.exactSum('at_bid');
  return query
    .groupByRaw('orders.status, CASE WHEN orders.price_limit IS NULL THEN 0 ELSE 1 END')
    .select(
      'orders.status',
      knex.raw('CASE WHEN orders.price_limit IS NULL THEN 0 ELSE 1 END AS market'),
      knex.raw('COUNT(*) AS orders'),
      knex.raw('SUM(charged - refunded) AS charged'),
      knex.raw(`SUM(${high}) AS at_bid_usd`),
      knex.raw(`SUM(${low}) AS at_bid_nano`),
    );
}
