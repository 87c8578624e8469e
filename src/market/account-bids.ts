/**
 * The credible bids of one account, best first: by price, then by arrival. Only those that count, and any better than
 * one of these, must be in order at once. The others are put in order when one of them may count, which for most bids
 * of a crowd never happens.
 */
import type { PriceNano } from '#base/money.ts';
import type { BidColumn, ColumnBid } from './bid-column.ts';

/** With more bids than this to put in order, all are sorted together. */
const ONE_BY_ONE_MAX = 8;

/** An order as it stands among those of its account. */
export interface AccountBid extends ColumnBid {
  readonly price: PriceNano;
  readonly seq: number;
  /** Null in the column: there it is the price. */
  credible: PriceNano | null;
  credibleSeq: number;
}

/** Whose bids they are. */
interface Bidder<Bid extends AccountBid> {
  /** Its bids that became credible without being read, and those that will; null for none. */
  readonly column: BidColumn<Bid> | null;
}

/** Bids by their credible price and seq, which must not change between `insert` and `remove`. */
export class AccountBids<Bid extends AccountBid> {
  /** In order; the first `#counting` count. */
  #ranked: Bid[] = [];
  /** The prices of `#ranked`: the orders are scattered over memory, and a search reads only this. */
  #prices: PriceNano[] = [];
  /** In the order in which they came; they stand after those that count. */
  #others: Bid[] = [];
  #counting = 0;
  /** The time in which as many count as may. Kept by `CountableBids`. */
  fullSinceMs = 0;
  fullUntilMs = Number.NEGATIVE_INFINITY;
  readonly #bidder: Bidder<Bid>;

  constructor(bidder: Bidder<Bid>) {
    this.#bidder = bidder;
  }

  get size(): number {
    return this.#ranked.length + this.#others.length + (this.#bidder.column?.credible ?? 0);
  }

  /** The lowest price that counts; Infinity when none does. */
  get lastPrice(): PriceNano {
    return this.#counting > 0 ? (this.#prices[this.#counting - 1] ?? 0) : Number.POSITIVE_INFINITY;
  }

  /** Whether a bid that is here counts. */
  isCounting(order: Bid): boolean {
    return this.#placeOf(order) < this.#counting;
  }

  /** How many count, the best ones. */
  get counting(): number {
    return this.#counting;
  }

  /** Returns whether the bid counts now, because it stands before another that does. */
  insert(order: Bid): boolean {
    if (this.#counting === 0 || this.#standsBefore(this.#counting - 1, order)) {
      this.#others.push(order);
      return false;
    }
    this.#rank(order);
    this.#counting++;
    return true;
  }

  /** Returns whether the bid counted. */
  remove(order: Bid): boolean {
    let place = this.#placeOf(order);
    // Orders of owners that followed each other may have the same place.
    if (this.#ranked[place] !== order) {
      const other = this.#others.indexOf(order);
      if (other >= 0) {
        this.#others.splice(other, 1);
        return false;
      }
      place = this.#ranked.indexOf(order, place);
    }
    this.#ranked.splice(place, 1);
    this.#prices.splice(place, 1);
    if (place >= this.#counting) return false;
    this.#counting--;
    return true;
  }

  /** Lets the next bid count and returns it; null when all do. */
  raise(): Bid | null {
    this.#rankOthers();
    const next = this.#ranked[this.#counting];
    if (next) this.#counting++;
    return next ?? null;
  }

  /** Lets the last bid that counts no longer count and returns it; null when none does. */
  lower(): Bid | null {
    if (this.#counting === 0) return null;
    return this.#ranked[--this.#counting] ?? null;
  }

  #rankOthers(): void {
    const others = this.#others;
    for (const order of this.#bidder.column?.takeCredible() ?? []) {
      order.credible = order.price;
      order.credibleSeq = order.seq;
      others.push(order);
    }
    if (others.length === 0) return;
    this.#others = [];
    if (others.length <= ONE_BY_ONE_MAX) {
      for (const order of others) this.#rank(order);
      return;
    }
    this.#ranked = [...others.reverse(), ...this.#ranked].sort(compare);
    this.#prices = this.#ranked.map(({ credible }) => credible ?? 0);
  }

  #rank(order: Bid): void {
    const place = this.#placeOf(order);
    this.#ranked.splice(place, 0, order);
    this.#prices.splice(place, 0, order.credible ?? 0);
  }

  /** The place at which a bid stands, or would stand, among those in order. */
  #placeOf(order: Bid): number {
    let low = 0;
    let high = this.#ranked.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#standsBefore(middle, order)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether the bid at a place in order stands before another. It is read itself only where the price does not decide. */
  #standsBefore(place: number, { credible, credibleSeq }: Bid): boolean {
    const price = this.#prices[place] ?? 0;
    const other = credible ?? 0;
    return price > other || (price === other && (this.#ranked[place]?.credibleSeq ?? 0) < credibleSeq);
  }
}

/** Negative when `one` stands before `two`. */
function compare(one: AccountBid, two: AccountBid): number {
  return (two.credible ?? 0) - (one.credible ?? 0) || one.credibleSeq - two.credibleSeq;
}
