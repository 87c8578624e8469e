/**
 * The orders that arrived lately, as an extra demand of the level: it looks a little ahead, expecting as many orders as
 * came in the time before, each at its bid and with the claim of its order. Slots come free only when orders end, so
 * the orders that run and wait show a change of demand late; those that arrive show it at once. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import type { DemandCurve } from './demand-curve.ts';
import type { MarketOrder, RecentArrival } from './market-order.ts';

/** How far the level looks ahead, and for how long an arrival counts. */
export const AHEAD_MS = 10_000;

/** The arrivals of the last ten seconds. `dueBy` and `advanceTo` must be called before anything else at a later time. */
export class RecentArrivals {
  readonly #demand: DemandCurve;
  /** In order of time; those before `#first` are done. */
  #arrivals: { readonly order: MarketOrder; readonly arrival: RecentArrival }[] = [];
  #first = 0;

  /** Arrivals are added to `demand`, and taken away again. */
  constructor(demand: DemandCurve) {
    this.#demand = demand;
  }

  /** When the next arrival stops counting, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    const untilMs = this.#arrivals[this.#first]?.arrival.untilMs;
    if (untilMs === undefined || (untilMs > nowMs && untilMs <= nowMs + AHEAD_MS)) return null;
    // After the clock stepped back, what is due too far in the future is due now.
    return Math.min(untilMs, nowMs);
  }

  /** Takes away what counts no longer. */
  advanceTo(nowMs: number): void {
    while (this.dueBy(nowMs) !== null) {
      const due = this.#arrivals[this.#first++];
      if (!due) return;
      const { order, arrival } = due;
      this.#remove(arrival);
      if (order.recent === arrival) order.recent = null;
    }
    if (this.#first > 1024 && this.#first * 2 > this.#arrivals.length) {
      this.#arrivals = this.#arrivals.slice(this.#first);
      this.#first = 0;
    }
  }

  /** An order arrived with this bid, or counts at another one than before. */
  arrives(order: MarketOrder, price: PriceNano, nowMs: number): void {
    this.ends(order, 0);
    const arrival = { price, claim: order.claim, untilMs: nowMs + AHEAD_MS };
    this.#demand.add(price, arrival.claim);
    this.#arrivals.push({ order, arrival });
    order.recent = arrival;
  }

  /** An order claimed this part of a slot, 0 to 1: its arrival counts as that from now on. */
  ends(order: MarketOrder, claimed: number): void {
    const { recent } = order;
    if (!recent) return;
    this.#remove(recent);
    recent.claim = claimed;
    if (claimed > 0) this.#demand.add(recent.price, claimed);
    order.recent = null;
  }

  #remove({ price, claim }: RecentArrival): void {
    if (claim > 0) this.#demand.remove(price, claim);
  }
}
