/**
 * How a market stands, as numbers and texts alone: another exchange can go on from it, also in another thread. It is
 * what a restart begins with, read while the market lives; reading it changes nothing.
 */
import type { PriceNano } from '#base/money.ts';
import { FairQueue, type Turn } from '../book/fair-queue.ts';
import type { MarketOrder, Queue } from '../book/market-order.ts';
import type { OrderBook } from '../book/order-book.ts';
import type { PodSlots } from '../book/pod-slots.ts';
import { PriceQueue } from '../book/price-queue.ts';
import type { PricedRate } from '../estimates/order-flow.ts';
import type { TurnoverState } from '../price/slot-turnover.ts';

/** How many waiting orders a situation has. */
const STANDING_MAX = 5_000;

/** An order of a market. */
export interface StandingOrder {
  readonly account: string;
  readonly bid: PriceNano;
  readonly house: boolean;
}

/** One market now. */
export interface MarketSituation {
  readonly atMs: number;
  readonly level: PriceNano;
  /** Slots of healthy pods. */
  readonly slots: number;
  /** The orders that hold a slot, also of a pod that is not healthy. */
  readonly executing: readonly StandingOrder[];
  /** The first that wait for one, the best first. */
  readonly waiting: readonly StandingOrder[];
  /** Waiting orders below these. */
  readonly deeper: number;
  /** The quote in force, with the state that was stored with it. */
  readonly quote: { readonly price: PriceNano; readonly state: string };
  /** The orders that came in about the last minute, by what they bid. */
  readonly arrivals: readonly PricedRate[];
  readonly turnover: TurnoverState;
}

/** The orders of a market, `all` of them and those that are `waiting`, the best first. */
export function standingOrders(
  waiting: Iterable<MarketOrder> & { readonly size: number },
  all: Iterable<MarketOrder>,
): Pick<MarketSituation, 'executing' | 'waiting' | 'deeper'> {
  const first: StandingOrder[] = [];
  for (const order of waiting) {
    if (first.length === STANDING_MAX) break;
    first.push(standing(order));
  }
  const executing = [...all].filter(({ state }) => state === 'executing').map(standing);
  return { executing, waiting: first, deeper: waiting.size - first.length };
}

function standing({ account, price, house }: MarketOrder): StandingOrder {
  return { account: account.id, bid: price, house };
}

/** How many orders are read from the top of a book, which may hold a million: about a millisecond. */
const READ_MAX = 1_000;
/** How many accounts of a fixed-price listing are shown that wait for their turn. */
const TURNS_MAX = 100;

/** What waits and runs in a market, as its operator sees it: exactly, and now, unlike the depth that is public. */
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

/** A market with this queue and these slots, as it is now. */
export function bookOf(queue: Queue, { held: executing, total: slots }: PodSlots): MarketBook {
  const waiting = queue.size;
  const turns = queue instanceof FairQueue ? queue.turns(TURNS_MAX) : [];
  const bids = bestBids(queue instanceof PriceQueue ? queue.book : null);
  return { waiting, executing, slots, turns, ...bids };
}

/** The best bids of a book, and the rest summed up. */
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
