/**
 * The bids of one account that no price counts: those that are too young, and before them those that became credible
 * while as many of the account counted as may. Most bids of a crowd become credible and count as little as before. So
 * nothing is written to them, and they are not even read: a boundary moves over their prices, and only what may count
 * is handed on.
 */
import type { PriceNano } from '#base/money.ts';

/** So many that are gone stay in the column before it is worth closing the gap. */
const GONE_MAX = 64;
/** In place of the price of a bid that is gone: lower than any. */
const GONE = -1;

/** A bid that knows its place. */
export interface ColumnBid {
  /** Its last place; one that was repriced while young has earlier ones until they are due. Kept by `BidColumn`. */
  columnNumber: number;
}

/** Bids in the order in which they came, each with its price, which must not change unless it is told. */
export class BidColumn<Bid extends ColumnBid> {
  /** Null for those that are gone. */
  #bids: (Bid | null)[] = [];
  /** NaN where the bid itself must be read. */
  #prices: number[] = [];
  /** Those before are gone. */
  #first = 0;
  /** Where those begin that are too young. */
  #young = 0;
  #credible = 0;
  /** How many are no longer in the columns. */
  #closed = 0;

  /** How many are credible. */
  get credible(): number {
    return this.#credible;
  }

  /** Whether nothing is credible and nothing will be. */
  get isDone(): boolean {
    return this.#credible === 0 && this.#young === this.#bids.length;
  }

  /** Adds a young bid, for one `mature`; with a price of NaN that hands it on. */
  put(bid: Bid, price: PriceNano): void {
    bid.columnNumber = this.#closed + this.#bids.length;
    this.#bids.push(bid);
    this.#prices.push(price);
  }

  /** Takes a bid away that may be here. Returns whether it was credible. */
  take(bid: Bid): boolean {
    const at = this.#placeOf(bid);
    if (at < 0) return false;
    this.#clear(at);
    if (at >= this.#young) return false;
    this.#credible--;
    this.#close();
    return true;
  }

  /** The price of a bid changed: a young one is handed on when it is due, a credible one taken away. Returns whether it was. */
  change(bid: Bid): boolean {
    const at = this.#placeOf(bid);
    if (at < this.#young) return this.take(bid);
    this.#prices[at] = Number.NaN;
    return false;
  }

  /**
   * The first young bid becomes credible: it stays if it is below `limit`, and is taken away and returned otherwise. Null
   * for one that stays or is gone.
   */
  mature(limit: PriceNano): Bid | null {
    const at = this.#young++;
    const price = this.#prices[at] ?? GONE;
    if (price === GONE) {
      this.#close();
      return null;
    }
    if (price < limit) {
      this.#credible++;
      return null;
    }
    const bid = this.#bids[at] ?? null;
    this.#clear(at);
    this.#close();
    return bid;
  }

  /** Takes all that are credible. */
  takeCredible(): Bid[] {
    const taken: Bid[] = [];
    for (; this.#first < this.#young; this.#first++) {
      const bid = this.#bids[this.#first];
      if (!bid) continue;
      taken.push(bid);
      this.#clear(this.#first);
    }
    this.#credible = 0;
    this.#close();
    return taken;
  }

  #placeOf(bid: Bid): number {
    const at = bid.columnNumber - this.#closed;
    return this.#bids[at] === bid ? at : -1;
  }

  #clear(at: number): void {
    this.#bids[at] = null;
    this.#prices[at] = GONE;
  }

  /** Closes the gaps among those that are not young, when they are most of what is here. */
  #close(): void {
    const gone = this.#young - this.#credible;
    if (gone <= GONE_MAX || gone * 2 <= this.#bids.length) return;
    const isHere = (at: number) => at >= this.#young || this.#bids[at] !== null;
    this.#prices = this.#prices.filter((_, at) => isHere(at));
    this.#bids = this.#bids.filter((_, at) => isHere(at));
    this.#closed += gone;
    this.#first = 0;
    this.#young = this.#credible;
    for (let at = 0; at < this.#young; at++) {
      const bid = this.#bids[at];
      if (bid) bid.columnNumber = this.#closed + at;
    }
  }
}
