/** The orders of an account as its owner reads them, and what they amount to in a period of a live market. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TraderOrder } from '#simulations/floor.ts';
import { type Measures, nothingMeasured } from '#simulations/measures.ts';
import type { Caller } from './caller.ts';
import { USD_PER_SLOT_HOUR } from './live-order.ts';

/** One of the list. Times are ISO 8601, prices USD. */
export interface ListedOrder {
  readonly id: string;
  readonly status: string;
  readonly bid: number;
  readonly price_lock: boolean;
  readonly created_at: string;
  readonly admitted_at: string | null;
  readonly finished_at: string | null;
  readonly level_at_execution: number | null;
  readonly usage: { readonly charged_usd: number } | null;
}

interface Page {
  readonly data: readonly ListedOrder[];
  readonly next_cursor: string | null;
}

/** A part of time, from `beginMs` to before `endMs`. */
export interface Period {
  readonly beginMs: number;
  readonly endMs: number;
}

const ALWAYS: Period = { beginMs: 0, endMs: Number.POSITIVE_INFINITY };
const PAGE = 500;
const ATTEMPTS = 30;
const NANO = 1e9;

/** The orders of a key's account, newest first. `filter` is a part of the query. Throws when they cannot be listed. */
export async function ordersOf(caller: Caller, key: string, filter = ''): Promise<ListedOrder[]> {
  const orders: ListedOrder[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = `limit=${PAGE}&include=usage,pricing${filter}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await pageOf(caller, key, query);
    orders.push(...page.data);
    cursor = page.next_cursor;
  }
  return orders;
}

/** A gateway that is busy may refuse a page, and give it a moment later. */
async function pageOf(caller: Caller, key: string, query: string): Promise<Page> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = await caller.call(`/v1/orders?${query}`, { key });
    if (answer) return answer.body;
    await sleep(1000);
  }
  throw new Error('the orders cannot be listed');
}

/**
 * Adds to `measures` what these orders did in the period. Those of attackers have no measure but their cost. Returns
 * for how many milliseconds each that started in it held its slot.
 */
export function measure(
  measures: Measures,
  orders: readonly ListedOrder[],
  { period, wishes, byAttacker }: { period: Period; wishes: ReadonlyMap<string, TraderOrder>; byAttacker: boolean },
): number[] {
  const held: number[] = [];
  const isWithin = (text: string | null) => text !== null && isIn(period, Date.parse(text));
  for (const order of orders) {
    measures.busySlotMs += heldMs(order, period);
    if (!byAttacker && isWithin(order.created_at)) measures.arrived++;
    const missed = order.price_lock && order.status === 'expired' && isWithin(order.finished_at);
    if (missed && !byAttacker && couldAfford(order, wishes)) measures.locksMissed++;
    if (!isWithin(order.admitted_at)) continue;
    held.push(heldMs(order, ALWAYS));
    if (byAttacker) started(measures, order, 'attackCost', 'attackSlotMs');
    else startedByTrader(measures, order, couldAfford(order, wishes));
  }
  return held;
}

/** Before anything happened in this period. */
export function nothingIn({ beginMs, endMs }: Period): Measures {
  return { ...nothingMeasured(), elapsedMs: endMs - beginMs };
}

function startedByTrader(measures: Measures, order: ListedOrder, counts: boolean): void {
  measures.started++;
  measures.waitedMs += Date.parse(order.admitted_at ?? '') - Date.parse(order.created_at);
  started(measures, order, 'revenue', 'othersSlotMs');
  if (!order.price_lock) return;
  if (counts) measures.locksStarted++;
  measures.locksServed++;
  measures.lockPrices += (order.level_at_execution ?? 0) * NANO;
}

/** Counts what an order paid, in dollars for a slot and an hour, and how long it held its slot. */
function started(
  measures: Measures,
  order: ListedOrder,
  cost: 'revenue' | 'attackCost',
  slotMs: 'othersSlotMs' | 'attackSlotMs',
): void {
  measures[cost] += (order.usage?.charged_usd ?? 0) / USD_PER_SLOT_HOUR;
  measures[slotMs] += heldMs(order, ALWAYS);
}

/** How long it held a slot within the period; 0 while it runs in an endless one. */
function heldMs({ admitted_at, finished_at }: ListedOrder, { beginMs, endMs }: Period): number {
  if (admitted_at === null) return 0;
  const finishedMs = finished_at === null ? endMs : Math.min(endMs, Date.parse(finished_at));
  return Number.isFinite(finishedMs) ? Math.max(0, finishedMs - Math.max(beginMs, Date.parse(admitted_at))) : 0;
}

/** Whether a lock's limit was above the quote at which it bid. */
function couldAfford({ id, bid }: ListedOrder, wishes: ReadonlyMap<string, TraderOrder>): boolean {
  const wish = wishes.get(id);
  return wish !== undefined && Math.round(bid * NANO) < wish.limit;
}

function isIn({ beginMs, endMs }: Period, atMs: number): boolean {
  return atMs >= beginMs && atMs < endMs;
}
