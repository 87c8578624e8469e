/**
 * Orders that wait, in the order in which they are to be looked at: each first after 2.5 seconds, and as long as it counts
 * as unserved every ten seconds from then on. Most orders start before. Time is an argument.
 */
import type { MarketOrder } from './market-order.ts';

/** A bid that stands for a shorter time is served by the next slot, or means nothing. */
export const UNSERVED_MS = 2500;
const AGAIN_MS = 10_000;
/** So many that are done stay in a column before it is worth closing the gap. */
const DONE_MAX = 1024;

/** Waiting orders with the time at which each is looked at; an order that has another place since is passed over. */
class Column {
  readonly #afterMs: number;
  /** Its numbers go up from 1, or down from −1. */
  readonly #sign: 1 | -1;
  #orders: MarketOrder[] = [];
  #dueMs: number[] = [];
  #first = 0;

  /** How many are no longer in the column. */
  #gone = 0;

  constructor(afterMs: number, sign: 1 | -1) {
    this.#afterMs = afterMs;
    this.#sign = sign;
  }

  add(order: MarketOrder, nowMs: number): void {
    this.#orders.push(order);
    this.#dueMs.push(nowMs + this.#afterMs);
    order.look = this.#sign * (this.#gone + this.#orders.length);
  }

  /** When the next order is due, if that is by `nowMs`; Infinity otherwise. */
  dueBy(nowMs: number): number {
    for (;;) {
      const dueMs = this.#dueMs[this.#first];
      // An entry further ahead than any order may be was added before the clock stepped back, and is due now.
      if (dueMs === undefined || (dueMs > nowMs && dueMs <= nowMs + this.#afterMs)) return Number.POSITIVE_INFINITY;
      const order = this.#orders[this.#first];
      const number = this.#sign * (this.#gone + this.#first + 1);
      if (order?.look === number && order.state === 'waiting') return Math.min(dueMs, nowMs);
      this.#first++;
      this.#close();
    }
  }

  /** Takes the order that is due. */
  take(): MarketOrder | null {
    const order = this.#orders[this.#first++] ?? null;
    this.#close();
    return order;
  }

  #close(): void {
    if (this.#first > DONE_MAX && this.#first * 2 > this.#orders.length) {
      this.#orders = this.#orders.slice(this.#first);
      this.#dueMs = this.#dueMs.slice(this.#first);
      this.#gone += this.#first;
      this.#first = 0;
    }
  }
}

/** The waiting orders of one market. */
export class UnservedOrders {
  readonly #young = new Column(UNSERVED_MS, 1);
  readonly #counted = new Column(AGAIN_MS, -1);

  /** An order joined the book, or bids more than before; `known` when it had rested before, and counted then. */
  add(order: MarketOrder, known: boolean, nowMs: number): void {
    (known ? this.#counted : this.#young).add(order, nowMs);
  }

  /** When the next order that still waits is to be looked at, if that is by `nowMs`; Infinity otherwise. */
  dueBy(nowMs: number): number {
    return Math.min(this.#young.dueBy(nowMs), this.#counted.dueBy(nowMs));
  }

  /** Hands on each order that is to be looked at by now and still waits, in order; `counts` returns whether it counts. */
  advanceTo(nowMs: number, counts: (order: MarketOrder, atMs: number) => boolean): void {
    for (;;) {
      const [youngMs, countedMs] = [this.#young.dueBy(nowMs), this.#counted.dueBy(nowMs)];
      const atMs = Math.min(youngMs, countedMs);
      if (atMs === Number.POSITIVE_INFINITY) return;
      const order = (youngMs <= countedMs ? this.#young : this.#counted).take();
      if (order && counts(order, atMs)) this.#counted.add(order, atMs);
    }
  }
}
