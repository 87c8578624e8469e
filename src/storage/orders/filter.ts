/** The filters of GET /v1/orders as conditions that an index can serve. Spec 4.6. */
import type { Knex } from 'knex';
import { isTerminal, type OrderStatus, orderStatuses } from '#orders/order.ts';
import type { OrderFilter } from '#orders/ports.ts';
import type { Dialect } from '../database/dialects/dialect.ts';
import { overlap, type Period } from '../database/periods.ts';

/** Applies every filter but the statuses. */
export function narrowed(query: Knex.QueryBuilder, filter: OrderFilter): Knex.QueryBuilder {
  query.where('orders.account_id', filter.accountId);
  if (filter.keyId !== null) query.where('orders.key_id', filter.keyId);
  if (filter.model !== null) query.where('orders.model', filter.model);
  if (filter.kind !== null) query.where('orders.kind', filter.kind);
  if (filter.batchId === 'none') query.whereNull('orders.batch_id');
  else if (filter.batchId !== null) query.where('orders.batch_id', filter.batchId);
  if (filter.tag != null) query.whereRaw(HAS_TAG, [`,${filter.tag},`]);
  withId(query, filter.idPrefix);
  return within(query, 'orders.created_at_ms', createdIn(filter));
}

/** Whether an order has a tag, which is bound between commas. */
export const HAS_TAG = 'INSTR(orders.tags, ?) > 0';

/**
 * What the orders of a filter are read from: the table, or the index of its tag and the table. Columns of a `key` are those of
 * the time and the id by which that is in order.
 */
export function sourceOf({ accountId, tag = null, ...filter }: OrderFilter, { joinInOrder }: Dialect) {
  if (tag === null) return { key: ORDER_KEY, rows: (knex: Knex) => knex('orders') };
  const period = createdIn(filter);
  return {
    key: TAG_KEY,
    rows(knex: Knex) {
      const tagged = knex.from(knex.raw(`order_tags ${joinInOrder} orders ON orders.id = order_tags.order_id`));
      return within(tagged.where({ 'order_tags.account_id': accountId, 'order_tags.tag': tag }), TAG_KEY[0], period);
    },
  };
}

/** The order of a list. */
export const ORDER_KEY = ['orders.created_at_ms', 'orders.id'] as const;
const TAG_KEY = ['order_tags.created_at_ms', 'order_tags.order_id'] as const;

/** The entries of one index for the account, key or tag of a filter and its period, more than it selects: cut into slices by `key`. */
export function indexedBy(knex: Knex, { accountId, keyId, tag = null, ...period }: OrderFilter): Knex.QueryBuilder {
  if (tag !== null) return within(knex('order_tags').where({ account_id: accountId, tag }), 'created_at_ms', period);
  const orders = knex('orders').where(keyId === null ? { account_id: accountId } : { key_id: keyId });
  return within(orders, 'created_at_ms', period);
}

function within(query: Knex.QueryBuilder, time: string, { fromMs, toMs }: Period): Knex.QueryBuilder {
  if (fromMs !== null) query.where(time, '>=', fromMs);
  if (toMs !== null) query.where(time, '<=', toMs);
  return query;
}

function withId(query: Knex.QueryBuilder, prefix: string | null): void {
  if (prefix === null) return;
  if (isWholeId(prefix)) query.where('orders.id', prefix);
  // `~` sorts after every character of an id.
  else query.whereBetween('orders.id', [prefix, `${prefix}~`]);
}

/** When the orders of a filter were created: by its bounds, and by the time in its id prefix. */
function createdIn({ fromMs, toMs, idPrefix }: Pick<OrderFilter, 'fromMs' | 'toMs' | 'idPrefix'>): Period {
  const asked = { fromMs, toMs };
  if (idPrefix === null || isWholeId(idPrefix)) return asked;
  const ids = timeOfIds(idPrefix);
  // No id has this prefix: an empty period.
  return ids ? overlap(asked, widened(ids)) : { fromMs: 0, toMs: -1 };
}

/** The statuses of a filter, split into those of orders that may still run and those of ended ones. */
export function statusesOf({ statuses }: Pick<OrderFilter, 'statuses'>): {
  readonly live: readonly OrderStatus[];
  readonly ended: readonly OrderStatus[];
} {
  const wanted = orderStatuses.filter((status) => statuses?.includes(status) ?? true);
  return { live: wanted.filter((status) => !isTerminal(status)), ended: wanted.filter(isTerminal) };
}

// An id is a UUIDv7: its first characters are the millisecond at which it was created. So an id prefix is a period, which
// the sums and indexes of periods can serve.

/** An id has the time of its order, unless the clock was set back in between: ids never go back. */
export const CLOCK_STEP_MS = 600_000;

const BEGINNING = /^[0-9a-f]{1,8}$|^[0-9a-f]{8}-[0-9a-f]{0,4}$|^[0-9a-f]{8}-[0-9a-f]{4}-/;
const TIME_DIGITS = 12;

/** Whether `prefix` is a whole id. */
export function isWholeId(prefix: string): boolean {
  return prefix.length === 36;
}

/** The period of the ids with this prefix; null when there can be none. */
export function timeOfIds(prefix: string): { readonly fromMs: number; readonly toMs: number } | null {
  if (!BEGINNING.test(prefix)) return null;
  const digits = prefix.slice(0, 13).replace('-', '');
  return {
    fromMs: Number.parseInt(digits.padEnd(TIME_DIGITS, '0'), 16),
    toMs: Number.parseInt(digits.padEnd(TIME_DIGITS, 'f'), 16),
  };
}

/** The period in which every order with such an id was created. */
export function widened({ fromMs, toMs }: { fromMs: number; toMs: number }): Period {
  return { fromMs: fromMs - CLOCK_STEP_MS, toMs: toMs + CLOCK_STEP_MS };
}
