/**
 * Which credible bids of an account count: its best ones, as many as it may speak for. That is what it runs now, what it
 * started during the last minute or so, and one more; and where the share of one account is bounded, no more than it
 * may run besides what it runs. So a bid that may not run does not price, and neither does a crowd of bids of one
 * account that never ran, until they begin to. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import { AccountBids } from './account-bids.ts';
import type { MarketAccount, MarketOrder } from './market-order.ts';

/** What countable bids need to know of their market. */
export interface CountableOptions {
  /** How many orders of the account count besides those it runs: a number from 0. */
  readonly voice: (account: MarketAccount) => number;
  /** The most slots that one account may hold; Infinity for no bound. */
  readonly heldMax: () => number;
  /** Told the price at which an order counts from now on; null for no longer, before its credible price changes. */
  readonly counts: (order: MarketOrder, price: PriceNano | null) => void;
  /** Told then of one that counts no longer and still waits, since its account has better bids or speaks for fewer. */
  readonly displaced: (order: MarketOrder) => void;
}

/** The credible bids of every account of one market. */
export class CountableBids {
  readonly #options: CountableOptions;
  /** Those with credible bids. */
  readonly #accounts = new Set<MarketAccount>();
  /** The number of the moment in `atOneMoment`; 0 outside. */
  #moment = 0;
  #moments = 0;

  constructor(options: CountableOptions) {
    this.#options = options;
  }

  /** The credible price of a waiting order changed; null when it has none any more. */
  set(order: MarketOrder, price: PriceNano | null): void {
    const { account } = order;
    const bids = account.bids ?? this.#open(account);
    const isNew = order.credible === null;
    if (!isNew && bids.remove(order)) this.#options.counts(order, null);
    order.credible = price;
    order.credibleSeq = order.seq;
    // A bid among those that count does so at once, and `#fit` then drops the last.
    const counts = price !== null && bids.insert(order);
    if (counts) this.#options.counts(order, price);
    if (bids.size === 0) this.#close(account);
    const staysFull = isNew && !counts && this.#moment > 0 && bids.fullAtMoment === this.#moment;
    if (!staysFull) this.#fit(account, bids);
  }

  /**
   * Makes changes in which prices become credible and nothing else happens. What an account may speak for is computed once
   * for all of its bids: thousands may become credible together.
   */
  atOneMoment(change: () => void): void {
    this.#moment = ++this.#moments;
    change();
    this.#moment = 0;
  }

  /** What the account runs, or started, changed. */
  voiceChanged(account: MarketAccount): void {
    if (account.bids) this.#fit(account, account.bids);
  }

  /** The slots changed, and with them every account's share. */
  slotsChanged(): void {
    for (const account of this.#accounts) this.voiceChanged(account);
  }

  #open(account: MarketAccount): AccountBids<MarketOrder> {
    account.bids = new AccountBids();
    this.#accounts.add(account);
    return account.bids;
  }

  #close(account: MarketAccount): void {
    account.bids = null;
    this.#accounts.delete(account);
  }

  /** Counts as many bids of the account as it may speak for now. */
  #fit(account: MarketAccount, bids: AccountBids<MarketOrder>): void {
    const allowed = Math.min(bids.size, this.#allowed(account));
    while (bids.counting > allowed) {
      const last = bids.lower();
      if (!last) continue;
      this.#options.counts(last, null);
      this.#options.displaced(last);
    }
    while (bids.counting < allowed) {
      const next = bids.raise();
      if (next) this.#options.counts(next, next.credible);
    }
    bids.fullAtMoment = allowed < bids.size ? this.#moment : 0;
  }

  #allowed(account: MarketAccount): number {
    const runnable = Math.max(0, this.#options.heldMax() - account.held);
    return Math.min(runnable, account.held + 1 + Math.floor(this.#options.voice(account)));
  }
}
