/** What members see of the orders of their account beside the orders themselves: how each ran, and sums by time. */
import type { Knex } from 'knex';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import type { OrderSum, OrderSums, ReportedRun, SumsAsked } from '#orders/ports.ts';
import { codec, column } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { type KeyColumns, newest, slices } from '../database/keyset.ts';
import { reading } from '../database/transaction.ts';
import { int, intOrNull, money, orNull, type Row, text, textOrNull } from '../database/values.ts';
import { tagList } from '../records/order.ts';
import { indexedBy, narrowed, sourceOf } from './filter.ts';

const { from: runFrom } = codec<ReportedRun>({
  id: text,
  keyId: textOrNull,
  keyName: textOrNull,
  firstOutputAtMs: intOrNull,
  charged: column('net', orNull(money)),
  atBid: orNull(money),
});

/** The runs of these orders, by their ids. */
export async function findRuns({ knex }: Database, ids: readonly string[]): Promise<ReadonlyMap<string, ReportedRun>> {
  const rows: Row[] = await joined(knex('orders'))
    .leftJoin('api_keys', 'api_keys.id', 'orders.key_id')
    .whereIn('orders.id', [...ids])
    .select('orders.id', 'orders.key_id', 'usage_records.first_output_at_ms', 'usage_records.at_bid')
    .select({ key_name: 'api_keys.name', net: knex.raw('usage_records.charged - usage_records.refunded') });
  return new Map(rows.map(runFrom).map((run) => [run.id, run]));
}

/** A sum at bids may exceed 64 bits, so it has two parts. */
interface SliceSum extends Omit<OrderSum, 'keyName' | 'tags' | 'atBid'> {
  readonly tags: readonly string[] | null;
  readonly atBidUsd: bigint | null;
  readonly atBidNano: bigint | null;
}

const { from: sumFrom } = codec<SliceSum>({
  unit: int,
  model: text,
  keyId: textOrNull,
  tags: orNull(tagList),
  status: text,
  orders: int,
  charged: money,
  atBidUsd: orNull(money),
  atBidNano: orNull(money),
});

/** One statement sums so many orders: a read blocks the thread on SQLite. */
const SLICE = 2000;
/** Of a longer period only the newest orders are looked at. */
const LOOKED_AT_MAX = 100_000;

/** The sums, the newest first, at most `limit`; `truncated` where older ones are left out. */
export function sumOrders(db: Database, { filter, chargedMin, step, limit }: SumsAsked): Promise<OrderSums> {
  return reading(db, async (trx) => {
    const first = await oldestLookedAt(indexedBy(trx, filter), sourceOf(filter, db.dialect).key);
    const looked = first === null ? filter : { ...filter, fromMs: first };
    const found = new Map<string, OrderSum>();
    const { key, rows } = sourceOf(looked, db.dialect);
    for await (const slice of slices(() => indexedBy(trx, looked), key, SLICE)) {
      const query = narrowed(slice(joined(rows(trx))), looked);
      if (looked.statuses) query.whereIn('orders.status', [...looked.statuses]);
      if (chargedMin !== null) query.whereRaw('usage_records.charged - usage_records.refunded >= ?', [chargedMin]);
      for (const sum of await sliceSums(db, query, step)) add(found, sum);
    }
    const names = await keyNames(trx, filter.accountId);
    const newest = [...found.values()].sort((one, other) => other.unit - one.unit);
    return {
      sums: newest.slice(0, limit).map((sum) => ({ ...sum, keyName: names.get(sum.keyId ?? '') ?? null })),
      truncated: first !== null || newest.length > limit,
    };
  });
}

function joined(orders: Knex.QueryBuilder): Knex.QueryBuilder {
  return orders.leftJoin('usage_records', 'usage_records.order_id', 'orders.id');
}

/** From when on there are no more orders than are looked at; null where that is all of the period. */
async function oldestLookedAt(entries: Knex.QueryBuilder, key: KeyColumns): Promise<number | null> {
  const row: Row | undefined = await newest(entries, key).offset(LOOKED_AT_MAX).first('created_at_ms');
  return row ? int(row.created_at_ms) + 1 : null;
}

async function sliceSums({ knex, dialect }: Database, query: Knex.QueryBuilder, step: 'hour' | 'day') {
  const { high, low } = dialect.exactSum('at_bid');
  const unitMs = step === 'hour' ? HOUR_MS : DAY_MS;
  const unit = `orders.created_at_ms - orders.created_at_ms % ${unitMs}`;
  const rows: Row[] = await query
    .groupByRaw(`${unit}, orders.model, orders.key_id, orders.tags, orders.status`)
    .select('orders.model', 'orders.key_id', 'orders.tags', 'orders.status')
    .select({
      unit: knex.raw(unit),
      orders: knex.raw('COUNT(*)'),
      charged: knex.raw('COALESCE(SUM(usage_records.charged - usage_records.refunded), 0)'),
      at_bid_usd: knex.raw(`SUM(${high})`),
      at_bid_nano: knex.raw(`SUM(${low})`),
    });
  return rows.map(sumFrom).map(({ unit: atMs, tags, atBidUsd, atBidNano, ...sum }) => ({
    ...sum,
    unit: atMs / unitMs,
    keyName: null,
    tags: tags ?? [],
    atBid: (atBidUsd ?? 0n) * 1_000_000_000n + (atBidNano ?? 0n),
  }));
}

function add(found: Map<string, OrderSum>, sum: OrderSum): void {
  const place = JSON.stringify([sum.unit, sum.model, sum.keyId, sum.tags, sum.status]);
  const before = found.get(place);
  found.set(
    place,
    before
      ? {
          ...before,
          orders: before.orders + sum.orders,
          charged: before.charged + sum.charged,
          atBid: before.atBid + sum.atBid,
        }
      : sum,
  );
}

async function keyNames(knex: Knex, accountId: string): Promise<ReadonlyMap<string, string>> {
  const rows: Row[] = await knex('api_keys').where({ account_id: accountId }).select('id', 'name');
  return new Map(rows.map(({ id, name }) => [text(id), text(name)]));
}
