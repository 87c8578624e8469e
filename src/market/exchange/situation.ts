/**
 * How a market stands, as numbers and texts alone: another exchange can go on from it, also in another thread. It is
 * what a restart begins with, read while the market lives; reading it changes nothing.
 */
import type { PriceNano } from '#base/money.ts';
import type { MarketOrder } from '../book/market-order.ts';
import type { ArrivalState } from '../price/arrival-rates.ts';
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
  /** Those that hold a slot, also of a pod that is not healthy. */
  readonly executing: readonly StandingOrder[];
  /** The first that wait for one, the best first. */
  readonly waiting: readonly StandingOrder[];
  /** Waiting orders below these. */
  readonly deeper: number;
  /** The quote in force, with the state that was stored with it. */
  readonly quote: { readonly price: PriceNano; readonly state: string };
  /** The arrivals of about the last minute. */
  readonly arrivals: ArrivalState;
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

/** Where the situations of markets are. */
export interface SituationSource {
  /** Null for a model without a market price, for a preview, and for a market that another gateway owns. */
  situation(model: string): Promise<MarketSituation | null>;
}
