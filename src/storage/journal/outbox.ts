/**
 * The outbox: an event is written in the transaction of its change, a row for each endpoint that subscribes. Who subscribes
 * is decided by the same statement, so nobody has to know the endpoints. docs/decisions/0051-webhooks.md.
 */
import type { Knex } from 'knex';
import type { Value } from '../database/values.ts';
import { bodyOf, type EndOfOrder, type Happening, orderHappening, WANTS } from './webhook-event.ts';

const COLUMNS = 'endpoint_id, event_id, type, object_id, body, created_at_ms, next_at_ms';

/** Notifies the endpoints of an account; bind `toldRow`. */
export const TELL_SQL = `INSERT INTO webhook_messages (${COLUMNS})
  SELECT id, ?, ?, ?, ?, ?, ? FROM webhook_endpoints
  WHERE account_id = ? AND enabled = 1 AND confirmed = 1 AND all_orders >= ? AND events LIKE ?`;

/** Notifies one endpoint, whatever it subscribes to; bind `toldRow` without the last two, and its id. */
const TELL_ONE_SQL = `INSERT INTO webhook_messages (${COLUMNS})
  SELECT id, ?, ?, ?, ?, ?, ? FROM webhook_endpoints WHERE account_id = ? AND id = ?`;

/** What the statement binds. `onlyAll`: only endpoints that want all orders. */
export function toldRow(accountId: string, happening: Happening, onlyAll = false): Value[] {
  return [...messageOf(happening), accountId, onlyAll ? 1 : 0, `% ${happening.type} %`];
}

/** Notifies the endpoints of an account, '' for the operator's, or one of them, within the transaction of the change. */
export async function tell(
  trx: Knex.Transaction,
  accountId: string,
  happening: Happening,
  endpointId?: string,
): Promise<void> {
  const row = toldRow(accountId, happening) as string[];
  if (endpointId === undefined) await trx.raw(TELL_SQL, row);
  else await trx.raw(`${TELL_SQL} AND id = ?`, [...row, endpointId]);
}

/** Which endpoint is notified. */
interface OneEndpoint {
  readonly accountId: string;
  readonly id: string;
}

/** Notifies one endpoint of an account, also one that is off. */
export async function tellOne(trx: Knex.Transaction, to: OneEndpoint, happening: Happening): Promise<void> {
  await trx.raw(TELL_ONE_SQL, [...messageOf(happening), to.accountId, to.id] as string[]);
}

/** Notifies the endpoint of an alert, if it takes messages now. */
export async function tellAlert(trx: Knex.Transaction, to: OneEndpoint, happening: Happening): Promise<void> {
  const sql = `${TELL_ONE_SQL} AND enabled = 1 AND confirmed = 1`;
  await trx.raw(sql, [...messageOf(happening), to.accountId, to.id] as string[]);
}

function messageOf(happening: Happening): Value[] {
  const { eventId, type, objectId, atMs } = happening;
  return [eventId, type, objectId, bodyOf(happening), atMs, atMs];
}

/** An order that ended, and what decides which endpoints receive it. */
export interface ToldOrder extends EndOfOrder {
  readonly accountId: string;
  readonly outlives: boolean;
}

/**
 * The row for an order; null when no endpoint of its account subscribes to it. Without `allOrders` endpoints receive orders
 * whose caller may be gone: detached ones and those with an Idempotency-Key. A line is reported by its batch.
 */
export function orderRowFor(wants: number, order: ToldOrder, isKeyed: () => boolean): Value[] | null {
  if ((wants & (WANTS.orders | WANTS.allOrders)) === 0) return null;
  const isOwn = order.batchId === null && (order.outlives || isKeyed());
  if (!isOwn && (wants & WANTS.allOrders) === 0) return null;
  return toldRow(order.accountId, orderHappening(order), !isOwn);
}
