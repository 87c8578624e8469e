/**
 * What resting orders bid for the level and the quote: the lowest bid that each had during the last five seconds, and
 * nothing while it is younger than that. Whoever stands at the top of the book for five seconds runs and pays, so a bid
 * counts only when its owner risked to be served at it. Bids that are shown for a moment, or that go up and down, are
 * worth their lowest. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import { DueQueue } from './due-queue.ts';
import type { MarketOrder } from './market-order.ts';

/** How long a bid must have stood before it counts. */
const CREDIBLE_MS = 5000;

/** A bid of a waiting order, from `atMs` until the next one that it showed. */
interface ShownBid {
  readonly price: PriceNano;
  readonly atMs: number;
}

/** Told when the credible price of an order changes; null: it has none. */
export type OnCredible = (order: MarketOrder, price: PriceNano | null) => void;

/** The credible bids of one market. `dueBy` and `advanceTo` must be called before anything else at a later time. */
export class CredibleBids {
  readonly #onCredible: OnCredible;
  /** What becomes credible. */
  readonly #due = new DueQueue<MarketOrder>(CREDIBLE_MS);
  /** The lower prices that an order bid lately, rising. Few orders have any. */
  readonly #lower = new Map<MarketOrder, ShownBid[]>();

  constructor(onCredible: OnCredible) {
    this.#onCredible = onCredible;
  }

  /** When the next bid becomes credible, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    return this.#due.dueBy(nowMs);
  }

  /** An order joined the book; `known` when it had rested or run before, and counts at once. */
  joins(order: MarketOrder, known: boolean, nowMs: number): void {
    if (known) {
      order.sinceMs = Number.NEGATIVE_INFINITY;
      this.#onCredible(order, order.price);
    } else {
      order.sinceMs = nowMs;
      order.dueNumber = this.#due.put(order, nowMs);
    }
  }

  /** An order joins the book and leaves it at once. Prices are integrated in the same pieces as if it had stayed. */
  passes(nowMs: number): void {
    this.#due.pass(nowMs);
  }

  /** A waiting order has a new price, and bid `before` until now. A lower one counts at once. */
  reprices(order: MarketOrder, before: PriceNano, nowMs: number): void {
    const { price } = order;
    const lower = this.#lower.get(order) ?? [];
    lower.push({ price: before, atMs: order.sinceMs });
    let atMs = nowMs;
    for (let last = lower.at(-1); last && last.price >= price; last = lower.at(-1)) {
      atMs = last.atMs;
      lower.pop();
    }
    order.sinceMs = atMs;
    if (lower.length > 0) this.#lower.set(order, lower);
    else this.#lower.delete(order);
    if (order.credible !== null && price < order.credible) this.#onCredible(order, price);
    if (atMs === nowMs) order.dueNumber = this.#due.put(order, nowMs);
  }

  /** An order left the book. */
  leaves(order: MarketOrder): void {
    // Most orders start at once, and would be kept for five seconds.
    this.#due.clear(order.dueNumber);
    if (this.#lower.size > 0) this.#lower.delete(order);
    if (order.credible !== null) this.#onCredible(order, null);
  }

  /** Counts what is credible by now. Call it with each `dueBy`, so that prices are integrated piece by piece. */
  advanceTo(nowMs: number): void {
    this.#due.advanceTo(nowMs, (order) => this.#mature(order, nowMs));
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
    if (isOld(lowest?.atMs ?? sinceMs, nowMs) && price !== order.credible) this.#onCredible(order, price);
  }
}

function isOld(atMs: number, nowMs: number): boolean {
  return nowMs - atMs >= CREDIBLE_MS || nowMs < atMs;
}
