/** What a unit must know of the order that it changes, and what every uncharged end cleans up. */
import type { OrderStatus } from '#orders/order.ts';
import { orderStatuses } from '#orders/order.ts';
import { flag, int, intOrNull, money, oneOf, text, textOrNull } from '../database/values.ts';
import type { OrderSort } from './order-days.ts';
import { first, run, type Steps } from './steps.ts';

export interface OrderState extends OrderSort {
  readonly status: OrderStatus;
  readonly attempt: number;
  readonly hold: bigint;
  readonly outlives: boolean;
  readonly error: string | null;
  readonly finishedAtMs: number | null;
  readonly batchId: string | null;
}

/** The order as this transaction sees it; null for an unknown id. */
export function* readOrder(orderId: string): Steps<OrderState | null> {
  const row = yield* first(
    `SELECT status, attempt, hold, outlives, error, finished_at_ms, account_id, created_at_ms, model, kind, batch_id,
       price_limit
     FROM orders WHERE id = ?`,
    orderId,
  );
  if (!row) return null;
  return {
    status: oneOf(orderStatuses, row.status),
    attempt: int(row.attempt),
    hold: money(row.hold),
    outlives: flag(row.outlives),
    error: textOrNull(row.error),
    finishedAtMs: intOrNull(row.finished_at_ms),
    accountId: text(row.account_id),
    createdAtMs: int(row.created_at_ms),
    model: text(row.model),
    kind: text(row.kind),
    batchId: textOrNull(row.batch_id),
    inBatch: row.batch_id !== null,
    market: row.price_limit !== null,
  };
}

/** Deletes the kept input of an order that outlives its caller, as it will not run again. */
export function* dropBody(orderId: string): Steps<void> {
  yield run('DELETE FROM order_bodies WHERE order_id = ?', orderId);
}

/** The same, and frees the order's Idempotency-Key, which any order may have: nothing was charged. */
export function* dropBodyAndKey(orderId: string, { outlives }: OrderState): Steps<void> {
  if (outlives) yield* dropBody(orderId);
  yield run('DELETE FROM idempotency_keys WHERE order_id = ?', orderId);
}
