/**
 * The orders that arrived lately, as an extra demand of the level: it looks a little ahead, expecting as many orders as
 * came in the time before, each at its bid and with the claim of its order. Slots come free only when orders end, so
 * the orders that run and wait show a change of demand late; those that arrive show it at once. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import { dueBy } from '../book/due.ts';
import type { MarketOrder } from '../book/market-order.ts';
import type { DemandCurve } from './demand-curve.ts';

/** How far the level looks ahead, and for how long an arrival counts. */
export const AHEAD_MS = 10_000;
/** The numbers that are kept of an arrival: when it stops counting, its price, and the part of a slot that it counts as. */
const WIDTH = 3;
/** So many that are done stay in the column before it is worth closing the gap. */
const DONE_MAX = 1024;

/**
 * The arrivals of the last ten seconds, numbered from 0, each with its number in its order. They outlive most orders, so
 * they are one column of numbers that the garbage collector neither reads nor moves. `dueBy` and `advanceTo` must be
 * called before anything else at a later time.
 */
export class RecentArrivals {
  readonly #demand: DemandCurve;
  #column: number[] = [];
  /** Where the first that still counts is in the column. */
  #first = 0;
  /** How many are no longer in the column. */
  #gone = 0;

  /** Arrivals are added to `demand`, and taken away again. */
  constructor(demand: DemandCurve) {
    this.#demand = demand;
  }

  /** When the next arrival stops counting, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    return dueBy(nowMs, this.#column[this.#first], AHEAD_MS);
  }

  /** Takes away what counts no longer. */
  advanceTo(nowMs: number): void {
    while (this.dueBy(nowMs) !== null) {
      this.#remove(this.#first);
      this.#first += WIDTH;
    }
    if (this.#first <= WIDTH * DONE_MAX || this.#first * 2 <= this.#column.length) return;
    this.#column = this.#column.slice(this.#first);
    this.#gone += this.#first / WIDTH;
    this.#first = 0;
  }

  /** An order arrived with this bid, counts at another one than before, or counts again. It arrives once. */
  arrives(order: MarketOrder, price: PriceNano, nowMs: number): void {
    if (order.recent === null) {
      order.recent = this.#gone + this.#column.length / WIDTH;
      this.#column.push(nowMs + AHEAD_MS, price, order.claim);
    } else {
      const at = this.#placeOf(order);
      if (at < 0) return;
      this.#remove(at);
      this.#column[at + 1] = price;
      this.#column[at + 2] = order.claim;
    }
    this.#demand.add(price, order.claim);
  }

  /** An order counts as if it had not arrived, until it counts again. */
  goesAway(order: MarketOrder): void {
    const at = this.#placeOf(order);
    if (at < 0) return;
    this.#remove(at);
    this.#column[at + 2] = 0;
  }

  /** An order claimed this part of a slot, 0 to 1: its arrival counts as that from now on. */
  ends(order: MarketOrder, claimed: number): void {
    const at = this.#placeOf(order);
    order.recent = null;
    if (at < 0) return;
    this.#remove(at);
    this.#column[at + 2] = claimed;
    if (claimed > 0) this.#demand.add(this.#column[at + 1] ?? 0, claimed);
  }

  /** Where the arrival of an order is in the column; negative when it is there no more. */
  #placeOf({ recent }: MarketOrder): number {
    const at = recent === null ? -1 : (recent - this.#gone) * WIDTH;
    return at < this.#first ? -1 : at;
  }

  #remove(at: number): void {
    const claim = this.#column[at + 2] ?? 0;
    if (claim > 0) this.#demand.remove(this.#column[at + 1] ?? 0, claim);
  }
}
