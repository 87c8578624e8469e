/**
 * Which credible bids of an account count: its best ones, as many as it may speak for. That is what it runs now, what it
 * started during the last minute or so, and one more; and where the share of one account is bounded, no more than it
 * may run besides what it runs. So a bid that may not run does not price, and neither does a crowd of bids of one
 * account that never ran, until they begin to. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import type { CredibleBid, MarketAccount, MarketOrder } from './market-order.ts';

/** What countable bids need to know of their market. */
export interface CountableOptions {
  /** How many orders of the account count besides those it runs: a number from 0. */
  readonly voice: (account: MarketAccount) => number;
  /** The most slots that one account may hold; Infinity for no bound. */
  readonly heldMax: () => number;
  /** Told the price at which an order counts from now on; null for none. */
  readonly counts: (order: MarketOrder, price: PriceNano | null) => void;
}

/** The bids of one account, best first. The first `counting` of them count. */
interface AccountBids {
  readonly bids: CredibleBid[];
  counting: number;
}

/** The credible bids of every account of one market. */
export class CountableBids {
  readonly #options: CountableOptions;
  readonly #accounts = new Map<MarketAccount, AccountBids>();

  constructor(options: CountableOptions) {
    this.#options = options;
  }

  /** The credible price of a waiting order changed; null when it has none any more. */
  set(order: MarketOrder, price: PriceNano | null): void {
    const { account } = order;
    const own = this.#accounts.get(account) ?? { bids: [], counting: 0 };
    if (order.credible) this.#remove(own, order.credible);
    order.credible = price === null ? null : { order, price, seq: order.seq };
    if (order.credible) this.#insert(own, order.credible);
    if (own.bids.length > 0) this.#accounts.set(account, own);
    else this.#accounts.delete(account);
    this.#fit(account, own);
  }

  /** What the account runs, or started, changed. */
  voiceChanged(account: MarketAccount): void {
    const own = this.#accounts.get(account);
    if (own) this.#fit(account, own);
  }

  /** The slots changed, and with them every account's share. */
  slotsChanged(): void {
    for (const [account, own] of this.#accounts) this.#fit(account, own);
  }

  #remove(own: AccountBids, bid: CredibleBid): void {
    const at = own.bids.indexOf(bid, placeOf(own.bids, bid));
    own.bids.splice(at, 1);
    if (at >= own.counting) return;
    own.counting--;
    this.#options.counts(bid.order, null);
  }

  /** A bid among those that count does so at once, and `#fit` then drops the last. */
  #insert(own: AccountBids, bid: CredibleBid): void {
    const at = placeOf(own.bids, bid);
    own.bids.splice(at, 0, bid);
    if (at >= own.counting) return;
    own.counting++;
    this.#options.counts(bid.order, bid.price);
  }

  /** Counts as many bids of the account as it may speak for now. */
  #fit(account: MarketAccount, own: AccountBids): void {
    const allowed = Math.min(own.bids.length, this.#allowed(account));
    while (own.counting > allowed) {
      const last = own.bids[--own.counting];
      if (last) this.#options.counts(last.order, null);
    }
    while (own.counting < allowed) {
      const next = own.bids[own.counting++];
      if (next) this.#options.counts(next.order, next.price);
    }
  }

  #allowed(account: MarketAccount): number {
    const runnable = Math.max(0, this.#options.heldMax() - account.held);
    return Math.min(runnable, account.held + 1 + Math.floor(this.#options.voice(account)));
  }
}

/** The index at which a bid stands, or would stand. */
function placeOf(bids: readonly CredibleBid[], { price, seq }: CredibleBid): number {
  let low = 0;
  let high = bids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const bid = bids[middle];
    if (bid && (bid.price > price || (bid.price === price && bid.seq < seq))) low = middle + 1;
    else high = middle;
  }
  return low;
}
