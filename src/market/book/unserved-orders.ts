/**
 * Orders that wait, in the order in which they are to be looked at: each first after 2.5 seconds, and as long as it counts
 * as unserved every ten seconds from then on. Most orders start before. Time is an argument.
 */
import type { Look, MarketOrder } from './market-order.ts';

/** A bid that stands for a shorter time is served by the next slot, or means nothing. */
const UNSERVED_MS = 2500;
const AGAIN_MS = 10_000;
/** So many that are done stay in a column before it is worth closing the gap. */
const DONE_MAX = 1024;

/** Waiting orders by the time at which each is looked at: each so long after it was added. */
class Column {
  readonly #afterMs: number;
  #looks: Look[] = [];
  #first = 0;

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  add(order: MarketOrder, nowMs: number): void {
    order.look = { order, dueMs: nowMs + this.#afterMs };
    this.#looks.push(order.look);
  }

  /** When the next order is due, if that is by `nowMs`; Infinity otherwise. */
  dueBy(nowMs: number): number {
    for (;;) {
      const look = this.#looks[this.#first];
      // An entry further ahead than any order may be was added before the clock stepped back, and is due now.
      if (!look || (look.dueMs > nowMs && look.dueMs <= nowMs + this.#afterMs)) return Number.POSITIVE_INFINITY;
      if (look.order.look === look && look.order.state === 'waiting') return Math.min(look.dueMs, nowMs);
      this.take();
    }
  }

  /** Takes the order that is due. */
  take(): MarketOrder | null {
    const look = this.#looks[this.#first++];
    const order = look?.order ?? null;
    // Most orders wait for much longer, and need no place meanwhile.
    if (order && order.look === look) order.look = null;
    if (this.#first > DONE_MAX && this.#first * 2 > this.#looks.length) {
      this.#looks = this.#looks.slice(this.#first);
      this.#first = 0;
    }
    return order;
  }
}

/** The waiting orders of one market. */
export class UnservedOrders {
  readonly #young = new Column(UNSERVED_MS);
  readonly #counted = new Column(AGAIN_MS);

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
