/**
 * The queue of a market listing: the best bid first. With a bound on an account's share of the slots, the best
 * order of an account at its share is passed over while another account waits.
 */

import type { MarketOrder, Queue } from './market-order.ts';
import { OrderBook } from './order-book.ts';

/** Waiting orders by bid, then by arrival. */
export class PriceQueue implements Queue {
  readonly book = new OrderBook<MarketOrder>();
  readonly #shareMax: number | null;

  /** `shareMax` is the largest share of slots of one account while others wait; null for no bound. */
  constructor(shareMax: number | null) {
    this.#shareMax = shareMax;
  }

  get size(): number {
    return this.book.size;
  }

  add(order: MarketOrder): void {
    this.book.insert(order);
  }

  remove(order: MarketOrder): void {
    this.book.remove(order);
  }

  /**
   * When every waiting account is at its share the best order runs all the same: an idle slot would serve nobody.
   * Takes O(log n) plus the orders passed over, which all belong to the few accounts that fill their share.
   */
  next(slots: number): MarketOrder | null {
    const best = this.book.best();
    if (!best || this.#shareMax === null) return best;
    const heldMax = Math.max(1, Math.floor(this.#shareMax * slots));
    if (best.account.held < heldMax) return best;
    for (const order of this.book) {
      if (order.account.held < heldMax) return order;
    }
    return best;
  }

  heldChanged(): void {
    // The book is ranked by bids alone; shares are read when a slot is free.
  }
}
