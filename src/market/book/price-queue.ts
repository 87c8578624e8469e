/**
 * The queue of a market listing: best bid first, and nothing below the reserve. If an account's share of the slots is
 * bounded, the best order of an account at its share is passed over while another account waits.
 */
import type { PriceNano } from '#base/money.ts';
import type { MarketTerms } from '../listing.ts';
import { type MarketOrder, type Queue, slotsHeldMax } from './market-order.ts';
import { OrderBook } from './order-book.ts';

/** Waiting orders by bid, then by arrival. */
export class PriceQueue implements Queue {
  readonly book = new OrderBook<MarketOrder>();
  #shareMax: number | null;
  #reserve: PriceNano;

  /**
   * `shareMax` is the largest share of slots for one account while others wait; null for no bound. An order that bids
   * less than `reserve` rests and is not next.
   */
  constructor(shareMax: number | null, reserve: PriceNano = 0) {
    this.#shareMax = shareMax;
    this.#reserve = reserve;
  }

  /** Sets another bound and reserve, from the next choice on. */
  renew({ accountShareMax, reserve }: Pick<MarketTerms, 'accountShareMax' | 'reserve'>): void {
    this.#shareMax = accountShareMax;
    this.#reserve = reserve;
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
   * If every waiting account is at its share, the best order runs anyway: an idle slot would serve nobody. O(log n)
   * plus the orders passed over, which all belong to the few accounts at their share.
   */
  next(slots: number): MarketOrder | null {
    const best = this.book.best();
    if (!best || best.price < this.#reserve) return null;
    const heldMax = slotsHeldMax(this.#shareMax, slots);
    if (best.account.held < heldMax) return best;
    for (const order of this.book) {
      if (order.price < this.#reserve) break;
      if (order.account.held < heldMax) return order;
    }
    return best;
  }

  /**
   * Whether an order that is not in the queue would be next if it were. True if no other account waits, whatever its
   * account holds.
   */
  isNextAlone(order: MarketOrder): boolean {
    return this.book.size === 0 && order.price >= this.#reserve;
  }

  count(): void {
    // The book is ranked only by bids; shares are read when a slot is free.
  }

  starts(): void {}

  ends(): void {}
}
