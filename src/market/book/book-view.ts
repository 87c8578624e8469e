/**
 * What waits and runs in a market, as its operator sees it: exactly, and now, unlike the depth that is public. The book
 * is read from the top for a bounded number of orders, because it may hold a million.
 */
import type { PriceNano } from '#base/money.ts';
import { FairQueue, type Turn } from './fair-queue.ts';
import type { MarketOrder, Queue } from './market-order.ts';
import type { OrderBook } from './order-book.ts';
import type { PodSlots } from './pod-slots.ts';
import { PriceQueue } from './price-queue.ts';

/** How many orders are read from the top of a book: about a millisecond. */
const READ_MAX = 1_000;
/** How many accounts of a fixed-price listing are shown that wait for their turn. */
const TURNS_MAX = 100;

/** One market now. */
export interface MarketBook {
  /** Orders that wait for a slot, and that hold one. */
  readonly waiting: number;
  readonly executing: number;
  /** Slots of healthy pods. */
  readonly slots: number;
  /** The best bids, the highest first; empty on a fixed-price listing, where accounts take turns. */
  readonly bids: readonly { readonly price: PriceNano; readonly orders: number }[];
  /** Waiting orders below these; 0 on a fixed-price listing. */
  readonly deeper: number;
  /** On a fixed-price listing, the first accounts with waiting orders, the one whose turn is next first; empty on others. */
  readonly turns: readonly Turn[];
}

/** Where the books of markets are. */
export interface BookSource {
  /** Null for a model without a market, and for a market that another gateway owns. */
  book(model: string): Promise<MarketBook | null>;
}

/** A market with this queue and these slots, as it is now. */
export function bookOf(queue: Queue, { held: executing, total: slots }: PodSlots): MarketBook {
  const waiting = queue.size;
  const turns = queue instanceof FairQueue ? queue.turns(TURNS_MAX) : [];
  const bids = bestBids(queue instanceof PriceQueue ? queue.book : null);
  return { waiting, executing, slots, turns, ...bids };
}

/** The best bids of a book and what is below. */
function bestBids(book: OrderBook<MarketOrder> | null): Pick<MarketBook, 'bids' | 'deeper'> {
  const bids: { price: PriceNano; orders: number }[] = [];
  if (!book) return { bids, deeper: 0 };
  const read = Math.min(READ_MAX, book.size);
  for (let position = 1; position <= read; position++) {
    const price = book.at(position)?.price ?? 0;
    const last = bids.at(-1);
    if (last?.price === price) last.orders++;
    else bids.push({ price, orders: 1 });
  }
  return { bids, deeper: book.size - read };
}
