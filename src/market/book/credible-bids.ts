/**
 * What resting orders bid for the level and the quote: the lowest bid that each had during the last five seconds, and
 * nothing while it is younger than that. Whoever stands at the top of the book for five seconds runs and pays, so a bid
 * counts only when its owner risked to be served at it. Bids that are shown for a moment, or that go up and down, are
 * worth their lowest. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import type { MarketAccount, MarketOrder } from './market-order.ts';
import { NO_NUMBER } from './queued-orders.ts';
import type { YoungBids } from './young-bids.ts';

/** How long a bid must have stood before it counts. */
export const CREDIBLE_MS = 5000;

/** Who is told of credible bids. */
export interface CredibleListener {
  /** The credible price of an order changes; null: it has none. */
  set(order: MarketOrder, price: PriceNano | null): void;
  /** Bids of the account below this price may become credible now without being told of. */
  untoldBelow(account: MarketAccount): PriceNano;
  /** A credible bid that was not told of is gone. */
  untoldLeaves(account: MarketAccount): void;
}

/** The credible bids of one market. `dueBy` and `advanceTo` must be called before anything else at a later time. */
export class CredibleBids {
  readonly #young: YoungBids<MarketOrder>;
  readonly #listener: CredibleListener;
  /** The lower prices that an order bid lately, rising. Few orders have any. */
  readonly #lower = new Map<MarketOrder, { readonly price: PriceNano; readonly atMs: number }[]>();

  /** `young` is empty; it is changed only here. */
  constructor(young: YoungBids<MarketOrder>, listener: CredibleListener) {
    this.#young = young;
    this.#listener = listener;
  }

  /** When the next bid becomes credible, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    return this.#young.dueBy(nowMs);
  }

  /** An order joined the book; `known` when it had rested or run before, and counts at once. */
  joins(order: MarketOrder, known: boolean, nowMs: number): void {
    const { account, price, seq } = order;
    if (known) {
      order.sinceMs = Number.NEGATIVE_INFINITY;
      this.#listener.set(order, price);
      return;
    }
    order.sinceMs = nowMs;
    account.queued.setSpare(order, { price, seq, number: this.#young.put(order, price, nowMs) });
  }

  /** An order joins the book and leaves it at once. Prices are integrated in the same pieces as if it had stayed. */
  passes(nowMs: number): void {
    this.#young.pass(nowMs);
  }

  /** A waiting order has a new price, and bid `before` until now. A lower one counts at once. */
  reprices(order: MarketOrder, before: PriceNano, nowMs: number): void {
    const number = numberOf(order);
    if (number >= this.#young.firstYoung) {
      this.#young.change(number);
      order.account.queued.clearSpare(order);
    } else if (number !== NO_NUMBER) {
      // It became credible without being told of. Its spare bid stays until that is set.
      order.credible = before;
    }
    order.sinceMs = this.#shows(order, before, nowMs);
    if (order.credible !== null && order.price < order.credible) this.#listener.set(order, order.price);
    if (order.sinceMs === nowMs) this.#young.putAgain(order, nowMs);
  }

  /** An order left the book. */
  leaves(order: MarketOrder): void {
    if (this.#lower.size > 0) this.#lower.delete(order);
    if (order.credible !== null) {
      this.#listener.set(order, null);
      return;
    }
    const number = numberOf(order);
    order.account.queued.clearSpare(order);
    // Most orders start before they are of age, and would be kept until they are.
    if (number >= this.#young.firstYoung) this.#young.drop(number);
    else if (number !== NO_NUMBER) this.#listener.untoldLeaves(order.account);
  }

  /** Counts what is credible by now. Call it with each `dueBy`, so that prices are integrated piece by piece. */
  advanceTo(nowMs: number): void {
    this.#young.advanceTo(
      nowMs,
      ({ account }) => this.#listener.untoldBelow(account),
      (order) => this.#mature(order, nowMs),
    );
  }

  /** Notes that an order bid `before` until now. Returns since when it has not bid less than it does. */
  #shows(order: MarketOrder, before: PriceNano, nowMs: number): number {
    let { price, sinceMs } = order;
    const lower = this.#lower.get(order);
    if (before < price) {
      const shown = { price: before, atMs: sinceMs };
      if (lower) lower.push(shown);
      else this.#lower.set(order, [shown]);
      return nowMs;
    }
    for (let last = lower?.at(-1); last && last.price >= price; last = lower?.at(-1)) {
      sinceMs = last.atMs;
      lower?.pop();
    }
    if (lower?.length === 0) this.#lower.delete(order);
    return sinceMs;
  }

  #mature(order: MarketOrder, nowMs: number): void {
    // One that was repriced comes of age with each of its prices, also after it left the book.
    if (order.state !== 'waiting') return;
    const { sinceMs } = order;
    const lower = this.#lower.get(order);
    while (lower?.[0] && isOld(lower[1]?.atMs ?? sinceMs, nowMs)) lower.shift();
    const lowest = lower?.[0];
    if (lower && !lowest) this.#lower.delete(order);
    const price = lowest?.price ?? order.price;
    if (!isOld(lowest?.atMs ?? sinceMs, nowMs)) return;
    if (price !== order.credible) this.#listener.set(order, price);
  }
}

/** The number of an order whose only bid is too young, or became credible without being told of; `NO_NUMBER` for none. */
function numberOf(order: MarketOrder): number {
  return order.credible === null ? order.account.queued.spareNumber(order) : NO_NUMBER;
}

function isOld(atMs: number, nowMs: number): boolean {
  return atMs + CREDIBLE_MS <= nowMs || nowMs < atMs;
}
