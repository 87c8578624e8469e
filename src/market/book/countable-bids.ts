/**
 * Which credible bids of an account count: its best ones, as many as it may speak for. That is what it runs now, what it
 * started during the last minute or so, and one more; and where the share of one account is bounded, no more than it
 * may run besides what it runs. So a bid that may not run does not price, and neither does a crowd of bids of one
 * account that never ran, until they begin to. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import { AccountBids } from './account-bids.ts';
import type { CredibleListener } from './credible-bids.ts';
import type { MarketAccount, MarketOrder } from './market-order.ts';
import { VOICE_DECAY_MS } from './voices.ts';

/** What countable bids need to know of their market. */
interface CountableOptions {
  /** How many orders of the account count besides those it runs: a number from 0, which decays from call to call. */
  readonly voice: (account: MarketAccount) => number;
  /** The time of calls. */
  readonly nowMs: () => number;
  /** The most slots that one account may hold; Infinity for no bound. */
  readonly heldMax: () => number;
  /** Bids with this number in `YoungBids` or a higher one are too young. */
  readonly firstYoung: () => number;
  /** Told the price at which an order counts from now on; null for no longer, before its credible price changes. */
  readonly counts: (order: MarketOrder, price: PriceNano | null) => void;
  /**
   * Told then of one that counts no longer and still waits: its account has better bids, also because it bids less
   * itself, or speaks for fewer. May be told twice.
   */
  readonly displaced: (order: MarketOrder) => void;
}

/**
 * The credible bids of every account of one market. A voice that faded is heard when the next thing happens to its
 * account, not before.
 */
export class CountableBids implements CredibleListener {
  readonly #options: CountableOptions;
  /** Those with credible bids. */
  readonly #accounts = new Set<MarketAccount>();

  constructor(options: CountableOptions) {
    this.#options = options;
  }

  /** The credible price of a waiting order changed; null when it has none any more. */
  set(order: MarketOrder, price: PriceNano | null): void {
    const { account } = order;
    const bids = account.bids ?? this.#open(account);
    const counted = bids.remove(order);
    if (counted) this.#options.counts(order, null);
    order.credible = price;
    // A bid among those that count does so at once, and `#fit` then drops the last.
    const counts = price !== null && bids.insert(order);
    if (counts) this.#options.counts(order, price);
    this.#settle(account, bids, counted || counts);
    if (counted && price !== null && !bids.isCounting(order)) this.#options.displaced(order);
  }

  /** While as many bids of the account count as may, those below the last that is kept in order do not. */
  untoldBelow({ bids }: MarketAccount): PriceNano {
    return bids && this.#isFull(bids) ? bids.spareBelow : 0;
  }

  /** It did not count. */
  untoldLeaves(account: MarketAccount): void {
    const { bids } = account;
    if (bids) this.#settle(account, bids, false);
  }

  /**
   * The account holds another number of slots. If its order left the book at that moment, what counts was decided then,
   * and is not decided again.
   */
  heldChanged(account: MarketAccount): void {
    const { bids, held } = account;
    if (bids) this.#settle(account, bids, held !== bids.heldThen);
  }

  /** What the account started lately changed. Nothing counts by it yet; what comes next does. */
  voiceChanged({ bids }: MarketAccount): void {
    if (bids) bids.fullUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** The slots changed, and with them every account's share. */
  slotsChanged(): void {
    for (const account of this.#accounts) if (account.bids) this.#settle(account, account.bids, true);
  }

  #open(account: MarketAccount): AccountBids<MarketOrder> {
    account.bids = new AccountBids(account.queued);
    this.#accounts.add(account);
    return account.bids;
  }

  #close(account: MarketAccount): void {
    account.bids = null;
    this.#accounts.delete(account);
  }

  /** Whether as many count as the account may speak for now, as it was counted before. */
  #isFull({ fullSinceMs, fullUntilMs }: AccountBids<MarketOrder>): boolean {
    const nowMs = this.#options.nowMs();
    return fullSinceMs <= nowMs && nowMs < fullUntilMs;
  }

  /** Bids came or went; `changed`: those that count, or what the account may speak for, may be others now. */
  #settle(account: MarketAccount, bids: AccountBids<MarketOrder>, changed: boolean): void {
    if (changed || !this.#isFull(bids)) this.#fit(account, bids);
    if (bids.counting === 0 && bids.isEmpty(this.#options.firstYoung())) this.#close(account);
  }

  /** Counts as many bids of the account as it may speak for now. */
  #fit(account: MarketAccount, bids: AccountBids<MarketOrder>): void {
    const voice = this.#options.voice(account);
    const whole = Math.floor(voice);
    const runnable = Math.max(0, this.#options.heldMax() - account.held);
    const most = Math.min(runnable, account.held + 1 + whole);
    while (bids.counting > most) {
      const last = bids.lower();
      if (!last) break;
      this.#options.counts(last, null);
      this.#options.displaced(last);
    }
    while (bids.counting < most) {
      const next = bids.raise(most - bids.counting, this.#options.firstYoung());
      if (!next) break;
      this.#options.counts(next, next.credible);
    }
    bids.heldThen = account.held;
    const isFull = bids.counting === most;
    if (isFull) bids.leaveSparesUntold();
    bids.fullSinceMs = this.#options.nowMs();
    bids.fullUntilMs = isFull ? bids.fullSinceMs + timeAbove(whole, voice) : Number.NEGATIVE_INFINITY;
  }
}

/** For how long a voice stays above a whole number. A millisecond less, so that no rounding makes it longer. */
function timeAbove(whole: number, voice: number): number {
  return whole === 0 ? Number.POSITIVE_INFINITY : VOICE_DECAY_MS * Math.log(voice / whole) - 1;
}
