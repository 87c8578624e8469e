/**
 * What resting orders bid for the level and the quote: the lowest bid that each had during the last five seconds, and
 * nothing while it is younger than that. Whoever stands at the top of the book for five seconds runs and pays, so a bid
 * counts only when its owner risked to be served at it. Bids that are shown for a moment, or that go up and down, are
 * worth their lowest. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import type { MarketOrder, ShownBid } from './market-order.ts';

/** How long a bid must have stood before it counts. */
const CREDIBLE_MS = 5000;

/** Told when the credible price of an order changes; null: it has none. */
export type OnCredible = (order: MarketOrder, price: PriceNano | null) => void;

interface Due {
  readonly order: MarketOrder;
  readonly atMs: number;
}

/** The credible bids of one market. `dueBy` and `advanceTo` must be called before anything else at a later time. */
export class CredibleBids {
  readonly #onCredible: OnCredible;
  /** What becomes credible, in order of time; those before `#first` are done. */
  #due: Due[] = [];
  #first = 0;

  constructor(onCredible: OnCredible) {
    this.#onCredible = onCredible;
  }

  /** When the next bid becomes credible, if that is by `nowMs`; null otherwise. */
  dueBy(nowMs: number): number | null {
    const atMs = this.#due[this.#first]?.atMs;
    if (atMs === undefined || (atMs > nowMs && atMs <= nowMs + CREDIBLE_MS)) return null;
    // After the clock stepped back, what is due too far in the future is due now.
    return Math.min(atMs, nowMs);
  }

  /** An order joined the book; `known` when it had rested or run before, and counts at once. */
  joins(order: MarketOrder, known: boolean, nowMs: number): void {
    order.shown = [{ price: order.price, atMs: known ? Number.NEGATIVE_INFINITY : nowMs }];
    if (known) this.#onCredible(order, order.price);
    else this.#due.push({ order, atMs: nowMs + CREDIBLE_MS });
  }

  /** A waiting order has a new price. A lower one counts at once. */
  reprices(order: MarketOrder, nowMs: number): void {
    const { price, shown } = order;
    let atMs = nowMs;
    for (let last = shown.at(-1); last && last.price >= price; last = shown.at(-1)) {
      atMs = last.atMs;
      shown.pop();
    }
    shown.push({ price, atMs });
    if (order.credible && price < order.credible.price) this.#onCredible(order, price);
    if (atMs === nowMs) this.#due.push({ order, atMs: nowMs + CREDIBLE_MS });
  }

  /** An order left the book. */
  leaves(order: MarketOrder): void {
    order.shown = [];
    if (order.credible) this.#onCredible(order, null);
  }

  /** Counts what is credible by now. Call it with each `dueBy`, so that prices are integrated piece by piece. */
  advanceTo(nowMs: number): void {
    while (this.dueBy(nowMs) !== null) {
      const due = this.#due[this.#first++];
      if (due) this.#mature(due.order, nowMs);
    }
    if (this.#first > 1024 && this.#first * 2 > this.#due.length) {
      this.#due = this.#due.slice(this.#first);
      this.#first = 0;
    }
  }

  #mature(order: MarketOrder, nowMs: number): void {
    const { shown } = order;
    while (shown[1] && isOld(shown[1], nowMs)) shown.shift();
    const [lowest] = shown;
    if (!lowest || !isOld(lowest, nowMs) || lowest.price === order.credible?.price) return;
    this.#onCredible(order, lowest.price);
  }
}

function isOld({ atMs }: ShownBid, nowMs: number): boolean {
  return nowMs - atMs >= CREDIBLE_MS || nowMs < atMs;
}
