/**
 * What webhooks report: the events, and the message of each. Messages are thin: ids, status and charge, never prompts,
 * answers or sentences of a backend, so each is far below the 20 kB that receivers are promised. docs/buy/webhooks.md.
 */
import { type NanoUsd, nanoToUsd, type PriceNano, priceToUsd, type UsdJson } from '#base/money.ts';
import { iso } from '#base/time.ts';

export const orderEvents = ['order.done', 'order.error', 'order.expired', 'order.canceled'] as const;
export const batchEvents = ['batch.completed', 'batch.failed', 'batch.expired', 'batch.cancelled'] as const;
/** The events of an account. */
export const accountEvents = [
  ...orderEvents,
  ...batchEvents,
  'balance.low',
  'key.budget_reached',
  'price.crossed',
] as const;
/** The events of the operator. */
export const operatorEvents = ['pod.down', 'pod.up'] as const;
export type AccountEvent = (typeof accountEvents)[number];
export type WebhookEvent = AccountEvent | (typeof operatorEvents)[number];
/** What alerts send: the condition holds, or is over. */
type AlertEvent = 'alert.fired' | 'alert.resolved';
/** A message that was asked for, to try an endpoint. */
export const TEST_EVENT = 'webhook.test';
/** Asks at an e-mail address whether alerts may be sent there. */
export const CONFIRM_EVENT = 'mail.confirm';

/** The bits of `accounts.webhooks`: which events some endpoint of the account subscribes to, as far as the journal writes them. */
export const WANTS = { orders: 1, allOrders: 2, batches: 4, budgets: 8 } as const;

/** The bits for an endpoint. */
export function wantsOf({ events, allOrders }: { events: readonly string[]; allOrders: boolean }): number {
  const some = (names: readonly string[]) => names.some((name) => events.includes(name));
  const orders = some(orderEvents) ? (allOrders ? WANTS.allOrders : WANTS.orders) : 0;
  const batches = some(batchEvents) ? WANTS.batches : 0;
  return orders | batches | (some(['key.budget_reached']) ? WANTS.budgets : 0);
}

/** An event, before its endpoints are known. Events of one object reach an endpoint in their order. */
export interface Happening {
  readonly type: WebhookEvent | AlertEvent | typeof TEST_EVENT | typeof CONFIRM_EVENT;
  /** The same for every endpoint and every attempt: receivers recognise a repetition by it. */
  readonly eventId: string;
  readonly objectId: string;
  readonly atMs: number;
  readonly data: object;
}

/** The message as it is sent. */
export function bodyOf({ type, atMs, data }: Happening): string {
  return JSON.stringify({ type, timestamp: iso(atMs), data });
}

/** An order that ended. `charged`: what it cost. */
export interface EndOfOrder {
  readonly id: string;
  readonly status: 'done' | 'error' | 'expired' | 'canceled';
  readonly model: string;
  readonly kind: string;
  readonly batchId: string | null;
  readonly createdAtMs: number;
  readonly finishedAtMs: number;
  readonly charged: NanoUsd;
  /** A code of the catalogue; null when it is done. */
  readonly error: string | null;
}

/** `order.done`, `order.error`, `order.expired` or `order.canceled`. */
export function orderHappening(order: EndOfOrder): Happening {
  const { id, status, model, kind, batchId, createdAtMs, finishedAtMs, charged, error } = order;
  const times = { created_at: iso(createdAtMs), finished_at: iso(finishedAtMs) };
  const data = { id, object: 'order', status, model, kind, batch_id: batchId, ...times };
  return {
    ...{ type: `order.${status}`, eventId: `evt_${id}`, objectId: id, atMs: finishedAtMs },
    data: { ...data, charged_usd: nanoToUsd(charged), error },
  };
}

/** A batch that ended. */
export interface EndOfBatch {
  readonly id: string;
  readonly status: 'completed' | 'failed' | 'expired' | 'cancelled';
  readonly endedAtMs: number;
  readonly total: number | null;
}

/** `batch.completed`, `batch.failed`, `batch.expired` or `batch.cancelled`. */
export function batchHappening({ id, status, endedAtMs, total }: EndOfBatch): Happening {
  const data = { id, object: 'batch', status, ended_at: iso(endedAtMs), total };
  return { type: `batch.${status}`, eventId: `evt_${id}`, objectId: id, atMs: endedAtMs, data };
}

/** `key.budget_reached`: nothing of the budget is left in its period, or an order was refused for it. */
export function budgetReached(
  key: { id: string; name: string; amount: NanoUsd; fromMs: number },
  atMs: number,
): Happening {
  const { id, name, amount, fromMs } = key;
  const data = { id, object: 'key', name, budget_usd: nanoToUsd(amount), period_from: iso(fromMs) };
  return { type: 'key.budget_reached', eventId: `evt_${id}_${fromMs}`, objectId: id, atMs, data };
}

/** `price.crossed`: the level came to a price from below, or fell below it. */
export function priceCrossed(
  crossing: { eventId: string; model: string; price: PriceNano; level: PriceNano; above: boolean },
  atMs: number,
): Happening {
  const { eventId, model, price, level, above } = crossing;
  const prices = { threshold_usd: priceToUsd(price), level_usd: priceToUsd(level) };
  const data = { object: 'price', model, ...prices, direction: above ? 'up' : 'down' };
  return { type: 'price.crossed', eventId, objectId: `${model} ${price}`, atMs, data };
}

/** `balance.low`: the balance fell below an alert of the account. */
export function balanceLow(
  alert: { eventId: string; accountId: string; below: NanoUsd; balance: NanoUsd },
  atMs: number,
): Happening {
  const { eventId, accountId, below, balance } = alert;
  const data = { object: 'balance', below_usd: nanoToUsd(below), balance_usd: nanoToUsd(balance) };
  return { type: 'balance.low', eventId, objectId: accountId, atMs, data };
}

/** `pod.down` or `pod.up`. */
export function podChanged(
  { eventId, pod, up }: { eventId: string; pod: string; up: boolean },
  atMs: number,
): Happening {
  const data = { id: pod, object: 'pod', up };
  return { type: up ? 'pod.up' : 'pod.down', eventId, objectId: pod, atMs, data };
}

/** `webhook.test`. */
export function testOf(endpointId: string, eventId: string, atMs: number): Happening {
  return { type: TEST_EVENT, eventId, objectId: endpointId, atMs, data: { id: endpointId, object: 'webhook' } };
}

/** What an alert watches, and what it saw. Amounts are USD, shares numbers from 0 to 1. */
export interface AlertFacts<Amount = UsdJson> {
  readonly id: string;
  readonly subject: 'price' | 'balance' | 'budget' | 'errors';
  readonly model: string | null;
  /** The name of the key. */
  readonly key: string | null;
  readonly direction: 'above' | 'below';
  readonly bound: Amount;
  readonly value: Amount;
}

/** `alert.fired` or `alert.resolved`. */
export function alertChanged({ id, ...facts }: AlertFacts, firing: boolean, atMs: number): Happening {
  const type = firing ? 'alert.fired' : 'alert.resolved';
  return { type, eventId: `evt_${id}_${atMs}`, objectId: id, atMs, data: { id, object: 'alert', ...facts } };
}

/** `mail.confirm`. Nobody can put words of their own into it. */
export function confirmationOf(endpointId: string, eventId: string, atMs: number): Happening {
  const data = { id: endpointId, object: 'mail' };
  return { type: CONFIRM_EVENT, eventId, objectId: endpointId, atMs, data };
}
