/** What of a market can be looked at. Nothing here changes it, so none of this is recorded. */
import { bookOf, type MarketBook } from '../book/book-view.ts';
import type { MarketOrder, Queue } from '../book/market-order.ts';
import type { PodSlots } from '../book/pod-slots.ts';
import type { MarketOdds } from '../estimates/odds.ts';
import type { MarketDepth } from './depth.ts';
import type { MarketPrices } from './market-prices.ts';
import type { RenewedMap } from './renewed-map.ts';
import { type MarketSituation, standingOrders } from './situation.ts';

/** The parts of a market. */
interface Parts {
  /** Null on a fixed-price listing. */
  readonly prices: MarketPrices | null;
  readonly queue: Queue;
  readonly pods: PodSlots;
  readonly orders: RenewedMap<MarketOrder>;
}

/** The readings of one market. */
export class MarketReadings {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What waits at which bid, as far as it may be shown; null on a fixed-price listing too. */
  get depth(): MarketDepth | null {
    return this.#parts.prices?.depth.shown ?? null;
  }

  /** What waits and runs, exactly, for the operator. */
  get book(): MarketBook {
    const { queue, pods, orders } = this.#parts;
    return bookOf(queue, pods, orders.size);
  }

  /** What stands between orders and their start; null on a fixed-price listing. */
  odds(nowMs: number): MarketOdds | null {
    return this.#parts.prices?.odds(nowMs) ?? null;
  }

  /** How it stands, for another exchange to go on from; null on a fixed-price listing. */
  situation(nowMs: number): MarketSituation | null {
    const { prices, pods, orders } = this.#parts;
    if (!prices) return null;
    const standing = standingOrders(prices.queue.book, orders.values());
    return { atMs: nowMs, slots: pods.total, ...standing, ...prices.situation() };
  }

  /** The position of an order in the book, from 1; null when it is not in a book. */
  position(id: string): number | null {
    const { prices, orders } = this.#parts;
    const order = orders.get(id);
    if (!prices || order?.state !== 'waiting') return null;
    return prices.queue.book.position(order);
  }
}
