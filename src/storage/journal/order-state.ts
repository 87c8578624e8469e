/** What a unit must know of the order that it changes, and what every uncharged end cleans up. */
import { type OrderStatus, orderStatuses } from '#orders/order.ts';
import { codec } from '../database/codec.ts';
import { flag, int, intOrNull, money, oneOf, text, textOrNull } from '../database/values.ts';
import type { Context } from './context.ts';
import type { OrderSort } from './order-days.ts';
import type { Picture } from './picture.ts';
import { tellOrder, wantKeyToTell } from './webhooks.ts';

/** How far an order is. A unit that does not read the row expects these values. */
export interface OrderRun {
  readonly status: OrderStatus;
  readonly attempt: number;
  readonly hold: bigint;
  /** The period of its key's budget that it counts in; null for none, and where that was not read. */
  readonly budgetFromMs: number | null;
}

export interface OrderState extends OrderRun, OrderSort {
  readonly outlives: boolean;
  readonly error: string | null;
  readonly finishedAtMs: number | null;
  readonly batchId: string | null;
  readonly keyId: string | null;
}

const run = { status: oneOf(orderStatuses), attempt: int, hold: money, budgetFromMs: intOrNull };
const { from: runFrom } = codec<OrderRun>(run);
const { from: stateFrom } = codec<Omit<OrderState, 'inBatch' | 'market'>>({
  ...run,
  outlives: flag,
  error: textOrNull,
  finishedAtMs: intOrNull,
  accountId: text,
  createdAtMs: int,
  model: text,
  kind: text,
  batchId: textOrNull,
  keyId: textOrNull,
});

/** How far the order is by now, or is expected to be; null for an unknown id. */
export function orderRun({ orders }: Picture, orderId: string): OrderRun | null {
  const row = orders.find(orderId);
  return row && runFrom(row);
}

/** The order as the units before left it; null for an unknown id. */
export function orderState({ orders }: Picture, orderId: string): OrderState | null {
  const row = orders.findWhole(orderId);
  return row && { ...stateFrom(row), inBatch: row.batch_id !== null, market: row.price_limit !== null };
}

/** Whether the order runs this attempt. */
export function isRunning<State extends OrderRun>(state: State | null, attempt: number): state is State {
  return state !== null && state.status === 'executing' && state.attempt === attempt;
}

/** Asks for the row of an order. */
export function wantOrder({ orderId }: { readonly orderId: string }, { picture }: Context): void {
  picture.orders.want(orderId);
}

/** Asks for the budget that an order counts in, as the database has it; one of this transaction asked before. */
export function wantBudget({ orders, keyBudgets }: Picture, orderId: string): void {
  const row = orders.find(orderId);
  if (row && intOrNull(row.budget_from_ms) !== null) keyBudgets.want(text(row.key_id));
}

/** Asks for the key of an order that ends, if that decides which endpoints receive it. */
export function wantKeyOf(picture: Picture, id: string): void {
  const row = picture.orders.find(id);
  if (row) wantKeyToTell(picture, { id, accountId: text(row.account_id), outlives: flag(row.outlives) });
}

/** Gives back what a run held, of the account and of its key's budget; `wantBudget` asked for that. */
export function releaseHold({ balances, keyBudgets }: Picture, state: OrderState): void {
  const { accountId, keyId, budgetFromMs: fromMs, hold } = state;
  balances.release(accountId, hold);
  if (keyId !== null && fromMs !== null) keyBudgets.release({ keyId, fromMs, hold });
}

/** How an order ends that costs nothing. */
export interface UnchargedEnd {
  readonly status: 'error' | 'expired' | 'canceled';
  readonly error: string;
  readonly finishedAtMs: number;
}

/** An uncharged end: notifies webhooks, counts it, deletes the kept input, and frees the Idempotency-Key, which any order may have. */
export function endUncharged(picture: Picture, orderId: string, state: OrderState, end: UnchargedEnd): void {
  const { status } = end;
  tellOrder(picture, { ...state, ...end, id: orderId, charged: 0n });
  picture.orderDays.count(state, status);
  picture.batchCounts.ended(state.batchId, status);
  if (state.outlives) picture.bodies.remove(orderId);
  picture.keys.free(orderId);
}
