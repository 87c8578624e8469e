/** The filters of GET /v1/orders as conditions that an index can serve. Spec 4.6. */
import type { Knex } from 'knex';
import { isTerminal, type OrderStatus, orderStatuses } from '#orders/order.ts';
import type { OrderFilter } from '#orders/ports.ts';
import { overlap, type Period } from '../database/periods.ts';

/** Applies every filter but the statuses. */
export function narrowed(query: Knex.QueryBuilder, filter: OrderFilter): Knex.QueryBuilder {
  query.where('orders.account_id', filter.accountId);
  if (filter.keyId !== null) query.where('orders.key_id', filter.keyId);
  if (filter.model !== null) query.where('orders.model', filter.model);
  if (filter.kind !== null) query.where('orders.kind', filter.kind);
  if (filter.batchId === 'none') query.whereNull('orders.batch_id');
  else if (filter.batchId !== null) query.where('orders.batch_id', filter.batchId);
  withId(query, filter.idPrefix);
  const { fromMs, toMs } = createdIn(filter);
  if (fromMs !== null) query.where('orders.created_at_ms', '>=', fromMs);
  if (toMs !== null) query.where('orders.created_at_ms', '<=', toMs);
  return query;
}

function withId(query: Knex.QueryBuilder, prefix: string | null): void {
  if (prefix === null) return;
  if (isWholeId(prefix)) query.where('orders.id', prefix);
  // `~` sorts after every character of an id.
  else query.whereBetween('orders.id', [prefix, `${prefix}~`]);
}

/** When the orders of a filter were created: by its bounds, and by the time in its id prefix. */
function createdIn({ fromMs, toMs, idPrefix }: OrderFilter): Period {
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
