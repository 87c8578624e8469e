/** The orders of all accounts, for the operator. Read by id, which has the time: no index has them by status or model. */
import type { Knex } from 'knex';
import type { NanoUsd } from '#base/money.ts';
import { codec, column } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { int, intOrNull, money, type Row, text } from '../database/values.ts';
import { HAS_TAG, isWholeId } from './filter.ts';

/** An order in the list. The charge is net of refunds; null without a settlement. */
export interface ListedOrder {
  readonly id: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly model: string;
  readonly kind: string;
  readonly status: string;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | null;
  readonly charged: NanoUsd | null;
}

/** What is looked for: null for anything. The prefix of an id is in lower case. */
export interface SoldFilter {
  readonly statuses: readonly string[] | null;
  readonly model: string | null;
  readonly idPrefix: string | null;
  /** The id of an order, a request, a batch, a key or an account. */
  readonly anyId: string | null;
  readonly tag: string | null;
}

/** A page looks at no more orders than these. */
const LOOKED_AT_MAX = 5_000;

/** At most `limit` of them, the newest first, and the id behind which the next page looks; null at the end. */
export async function listSold(
  { knex }: Database,
  { statuses, model, idPrefix, anyId, tag }: SoldFilter,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ readonly orders: readonly ListedOrder[]; readonly next: string | null }> {
  const tagged = knex('order_tags').where({ tag }).select({ id: 'order_id' });
  const orders: Knex.QueryBuilder = tag !== null && anyId === null ? knex.from(tagged.as('orders')) : knex('orders');
  const looked = orders.limit(LOOKED_AT_MAX).select('id');
  const column = anyId === null ? null : await columnOf(knex, anyId);
  if (anyId !== null && column === null) return { orders: [], next: null };
  // The indexes of these columns have the time, not the id alone.
  if (anyId !== null && column !== null) looked.where(column, anyId).orderBy('created_at_ms', 'desc');
  looked.orderBy('id', 'desc');
  if (after !== null) looked.where('id', '<', after);
  if (idPrefix !== null && isWholeId(idPrefix)) looked.where('id', idPrefix);
  // `~` sorts after every character of an id.
  else if (idPrefix !== null) looked.whereBetween('id', [idPrefix, `${idPrefix}~`]);
  const found = knex
    .from(looked.clone().as('looked'))
    .join('orders', 'orders.id', 'looked.id')
    .join('accounts', 'accounts.id', 'orders.account_id')
    .leftJoin('usage_records', 'usage_records.order_id', 'orders.id')
    .orderBy('orders.id', 'desc')
    .limit(limit + 1)
    .select('orders.*', 'accounts.name AS account_name')
    .select(knex.raw('usage_records.charged - usage_records.refunded AS charged'));
  if (statuses !== null) found.whereIn('orders.status', [...statuses]);
  if (model !== null) found.where('orders.model', model);
  if (tag !== null) found.whereRaw(HAS_TAG, [`,${tag},`]);
  const rows: Row[] = await found;
  const page = rows.slice(0, limit).map(from);
  if (rows.length > limit) return { orders: page, next: page.at(-1)?.id ?? null };
  const [end]: Row[] = await knex.from(looked.as('looked')).select(knex.raw('MIN(id) AS last, COUNT(*) AS number'));
  return { orders: page, next: int(end?.number) < LOOKED_AT_MAX ? null : text(end?.last) };
}

/** The first column in which an order has this id; null for none. Each has an index. */
async function columnOf(knex: Knex, anyId: string): Promise<string | null> {
  for (const column of ['id', 'request_id', 'batch_id', 'key_id', 'account_id']) {
    if (await knex('orders').where(column, anyId).first('id')) return column;
  }
  return null;
}

const { from } = codec<ListedOrder>({
  id: text,
  accountId: text,
  accountName: text,
  model: text,
  kind: text,
  status: text,
  createdAtMs: int,
  finishedAtMs: intOrNull,
  charged: column('charged', (value) => (value === null ? null : money(value))),
});
