/**
 * The orders that arrived lately, as an extra demand of the level: it looks a little ahead, expecting as many orders as
 * came in the time before, each at its bid and with the claim of its order. Slots come free only when orders end, so
 * the orders that run and wait show a change of demand late; those that arrive show it at once. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import type { DemandCurve } from './demand-curve.ts';
import { DueQueue } from './due-queue.ts';
import type { MarketOrder, RecentArrival } from './market-order.ts';

/** How far the level looks ahead, and for how long an arrival counts. */
export const AHEAD_MS = 10_000;

/** The arrivals of the last ten seconds. `dueBy` and `advanceTo` must be called before anything else at a later time. */
export class RecentArrivals {
  readonly #demand: DemandCurve;
  readonly #arrivals = new DueQueue<RecentArrival>(AHEAD_MS);

  /** Arrivals are added to `demand`, and taken away again. */
  constructor(demand: DemandCurve) {
    this.#demand = demand;
  }

  /** When the next arrival stops counting, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    return this.#arrivals.dueBy(nowMs);
  }

  /** Takes away what counts no longer. */
  advanceTo(nowMs: number): void {
    this.#arrivals.advanceTo(nowMs, (arrival) => {
      this.#remove(arrival);
      if (arrival.order) arrival.order.recent = null;
    });
  }

  /** An order arrived with this bid, or counts at another one than before. */
  arrives(order: MarketOrder, price: PriceNano, nowMs: number): void {
    this.ends(order, 0);
    order.recent = { order, price, claim: order.claim };
    this.#demand.add(price, order.claim);
    this.#arrivals.put(order.recent, nowMs);
  }

  /** An order claimed this part of a slot, 0 to 1: its arrival counts as that from now on. */
  ends(order: MarketOrder, claimed: number): void {
    const { recent } = order;
    if (!recent) return;
    this.#remove(recent);
    recent.claim = claimed;
    if (claimed > 0) this.#demand.add(recent.price, claimed);
    recent.order = null;
    order.recent = null;
  }

  #remove({ price, claim }: RecentArrival): void {
    if (claim > 0) this.#demand.remove(price, claim);
  }
}
