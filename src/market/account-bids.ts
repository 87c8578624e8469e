/**
 * The credible bids of one account, best first: by price, then by arrival. The first ones count. Only these and a few
 * more are in order; the others are its spare bids, of which the best are looked for when one of them may count.
 */
import type { PriceNano } from '#base/money.ts';
import type { QueuedItem, QueuedOrders } from './queued-orders.ts';

/** So many are in order besides those that count, at most, and so many are looked for at once. */
const NEXT_MAX = 16;

/** An order as it stands among those of its account. */
export interface AccountBid extends QueuedItem {
  readonly price: PriceNano;
  readonly seq: number;
  /** The price at which it counts, or would; null while it is too young, or became credible without being read. */
  credible: PriceNano | null;
}

/** Bids by their credible price, which must not change between `insert` and `remove`, and their seq of then. */
export class AccountBids<Bid extends AccountBid> {
  readonly #queued: QueuedOrders<Bid>;
  /** In order, and none of them spare; the first `#counting` count. */
  readonly #ranked: Bid[] = [];
  /** The prices and seqs of `#ranked`: the orders are scattered over memory, and a search reads none of them. */
  readonly #prices: PriceNano[] = [];
  readonly #seqs: number[] = [];
  #counting = 0;
  /** Whether there may be spare bids. All of them stand after those in order. */
  #mayHaveSpares = false;
  /** The time in which as many count as may. Kept by `CountableBids`. */
  fullSinceMs = 0;
  fullUntilMs = Number.NEGATIVE_INFINITY;

  /** `queued` holds every bid that comes here, and keeps those that are spare. */
  constructor(queued: QueuedOrders<Bid>) {
    this.#queued = queued;
  }

  /** How many count, the best ones. */
  get counting(): number {
    return this.#counting;
  }

  /** Whether none is here. False also where none may count, for as long as nobody looked for one. */
  get isEmpty(): boolean {
    return this.#ranked.length === 0 && !this.#mayHaveSpares;
  }

  /** What bids less than this is spare. Infinity when none is in order. */
  get spareBelow(): PriceNano {
    return this.#prices.at(-1) ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a bid of the account counts. */
  isCounting(bid: Bid): boolean {
    return this.#isRanked(bid) && this.#placeIn(bid) < this.#counting;
  }

  /** Takes a bid that is not here. It counts if it stands before another that does. */
  insert(bid: Bid): void {
    const { seq } = bid;
    const place = this.#placeOf(bid.credible ?? 0, seq);
    if (place === this.#ranked.length && (this.#mayHaveSpares || place - this.#counting === NEXT_MAX)) {
      this.#keep(bid, seq);
      return;
    }
    this.#queued.clearSpare(bid);
    this.#ranked.splice(place, 0, bid);
    this.#prices.splice(place, 0, bid.credible ?? 0);
    this.#seqs.splice(place, 0, seq);
    if (place < this.#counting) this.#counting++;
    else this.#shorten();
  }

  /** Removes a bid, also one that became credible without being told of. */
  remove(bid: Bid): void {
    if (!this.#isRanked(bid)) {
      this.#queued.clearSpare(bid);
      return;
    }
    const place = this.#placeIn(bid);
    this.#ranked.splice(place, 1);
    this.#prices.splice(place, 1);
    this.#seqs.splice(place, 1);
    if (place < this.#counting) this.#counting--;
  }

  /** Lets the next bid count and returns it; null when all do. `firstYoung` as in `QueuedOrders`. */
  raise(firstYoung: number): Bid | null {
    if (this.#counting === this.#ranked.length && this.#mayHaveSpares) this.#rankSpares(firstYoung);
    const next = this.#ranked[this.#counting];
    if (next) this.#counting++;
    return next ?? null;
  }

  /** Lets the last bid that counts no longer count and returns it; null when none does. */
  lower(): Bid | null {
    if (this.#counting === 0) return null;
    const last = this.#ranked[--this.#counting] ?? null;
    this.#shorten();
    return last;
  }

  /** From now on bids below `spareBelow` may become credible without being told of. */
  leaveSparesUntold(): void {
    this.#mayHaveSpares = true;
  }

  #rankSpares(firstYoung: number): void {
    const best = this.#queued.bestSpares(NEXT_MAX, firstYoung);
    for (const bid of best) {
      // One that was never read.
      bid.credible ??= bid.price;
      this.#ranked.push(bid);
      this.#prices.push(bid.credible);
      this.#seqs.push(this.#queued.spareSeq(bid));
      this.#queued.clearSpare(bid);
    }
    this.#mayHaveSpares = best.length === NEXT_MAX;
  }

  /** Keeps no more in order than it is worth. */
  #shorten(): void {
    if (this.#ranked.length - this.#counting <= NEXT_MAX) return;
    const last = this.#ranked.pop();
    this.#prices.pop();
    const seq = this.#seqs.pop() ?? 0;
    if (last) this.#keep(last, seq);
  }

  #keep(bid: Bid, seq: number): void {
    this.#queued.setSpare(bid, { price: bid.credible ?? 0, seq });
    this.#mayHaveSpares = true;
  }

  #isRanked(bid: Bid): boolean {
    return bid.credible !== null && !this.#queued.hasSpare(bid);
  }

  /** The place of a bid that is in order. */
  #placeIn(bid: Bid): number {
    return this.#ranked.indexOf(bid, this.#placeOf(bid.credible ?? 0, Number.NEGATIVE_INFINITY));
  }

  /** The place at which a bid of this price and seq would stand among those in order. */
  #placeOf(price: PriceNano, seq: number): number {
    let low = 0;
    let high = this.#ranked.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#prices[middle] ?? 0;
      if (other > price || (other === price && (this.#seqs[middle] ?? 0) < seq)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
