/**
 * What resting orders bid for the level and the quote: the lowest bid that each had during the last five seconds, and
 * nothing while it is younger than that. Whoever stands at the top of the book for five seconds runs and pays, so a bid
 * counts only when its owner risked to be served at it. Bids that are shown for a moment, or that go up and down, are
 * worth their lowest. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import { BidColumn } from './bid-column.ts';
import { DueQueue } from './due-queue.ts';
import type { MarketAccount, MarketOrder } from './market-order.ts';

/** How long a bid must have stood before it counts. */
const CREDIBLE_MS = 5000;

/** A bid of a waiting order, from `atMs` until the next one that it showed. */
interface ShownBid {
  readonly price: PriceNano;
  readonly atMs: number;
}

/** What an order bid until now, and its seq then. */
export type BidBefore = Pick<MarketOrder, 'price' | 'seq'>;

/** Who is told of credible bids. */
export interface CredibleListener {
  /** The credible price of an order changes; null: it has none. */
  set(order: MarketOrder, price: PriceNano | null): void;
  /** Bids of the account below this price may become credible now without being told of: they stay in its column. */
  untoldBelow(account: MarketAccount): PriceNano;
  /** A credible bid that was not told of is repriced: it is in the column of its account no longer. */
  untoldRepriced(order: MarketOrder, before: BidBefore): void;
  /** A credible bid that was not told of is gone. */
  untoldLeaves(account: MarketAccount): void;
}

/** The credible bids of one market. `dueBy` and `advanceTo` must be called before anything else at a later time. */
export class CredibleBids {
  readonly #listener: CredibleListener;
  /** The accounts of what becomes credible, the next in its column each time. */
  readonly #due = new DueQueue<MarketAccount>(CREDIBLE_MS);
  /** The lower prices that an order bid lately, rising. Few orders have any. */
  readonly #lower = new Map<MarketOrder, ShownBid[]>();

  constructor(listener: CredibleListener) {
    this.#listener = listener;
  }

  /** When the next bid becomes credible, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    return this.#due.dueBy(nowMs);
  }

  /** An order joined the book; `known` when it had rested or run before, and counts at once. */
  joins(order: MarketOrder, known: boolean, nowMs: number): void {
    if (known) {
      order.sinceMs = Number.NEGATIVE_INFINITY;
      this.#listener.set(order, order.price);
    } else {
      order.sinceMs = nowMs;
      this.#put(order, order.price, nowMs);
    }
  }

  /** An order joins the book and leaves it at once. Prices are integrated in the same pieces as if it had stayed. */
  passes(nowMs: number): void {
    this.#due.pass(nowMs);
  }

  /** A waiting order has a new price, and bid `before` until now. A lower one counts at once. */
  reprices(order: MarketOrder, before: BidBefore, nowMs: number): void {
    const { price } = order;
    if (order.account.column?.change(order)) this.#listener.untoldRepriced(order, before);
    const lower = this.#lower.get(order) ?? [];
    lower.push({ price: before.price, atMs: order.sinceMs });
    let atMs = nowMs;
    for (let last = lower.at(-1); last && last.price >= price; last = lower.at(-1)) {
      atMs = last.atMs;
      lower.pop();
    }
    order.sinceMs = atMs;
    if (lower.length > 0) this.#lower.set(order, lower);
    else this.#lower.delete(order);
    if (order.credible !== null && price < order.credible) this.#listener.set(order, price);
    if (atMs === nowMs) this.#put(order, Number.NaN, nowMs);
  }

  /** An order left the book. */
  leaves(order: MarketOrder): void {
    const { account } = order;
    // Most orders start at once, and would be kept for five seconds.
    const wasUntold = account.column?.take(order) ?? false;
    if (this.#lower.size > 0) this.#lower.delete(order);
    if (order.credible !== null) this.#listener.set(order, null);
    else if (wasUntold) this.#listener.untoldLeaves(account);
    if (account.column?.isDone) account.column = null;
  }

  /** Counts what is credible by now. Call it with each `dueBy`, so that prices are integrated piece by piece. */
  advanceTo(nowMs: number): void {
    this.#due.advanceTo(nowMs, (account) => {
      const order = account.column?.mature(this.#listener.untoldBelow(account));
      if (order) this.#mature(order, nowMs);
      if (account.column?.isDone) account.column = null;
    });
  }

  /** With a price of NaN the order is read when it is due. */
  #put(order: MarketOrder, price: PriceNano, nowMs: number): void {
    const { account } = order;
    account.column ??= new BidColumn();
    account.column.put(order, price);
    this.#due.put(account, nowMs);
  }

  #mature(order: MarketOrder, nowMs: number): void {
    // One that was repriced is in the queue for each of its prices, also after it left the book.
    if (order.state !== 'waiting') return;
    const { sinceMs } = order;
    const lower = this.#lower.get(order);
    while (lower?.[0] && isOld(lower[1]?.atMs ?? sinceMs, nowMs)) lower.shift();
    const lowest = lower?.[0];
    if (lower && !lowest) this.#lower.delete(order);
    const price = lowest?.price ?? order.price;
    if (!isOld(lowest?.atMs ?? sinceMs, nowMs)) return;
    // One that left and came back in a millisecond may be in the column once more.
    if (!lowest) order.account.column?.take(order);
    if (price !== order.credible) this.#listener.set(order, price);
  }
}

function isOld(atMs: number, nowMs: number): boolean {
  return nowMs - atMs >= CREDIBLE_MS || nowMs < atMs;
}
