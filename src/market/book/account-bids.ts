/**
 * The credible bids of one account, best first: by price, then by arrival. The first ones count. Only these and a few
 * more are in order; the others are its spare bids, of which the best are looked for when one of them may count.
 */
import assert from 'node:assert';
import type { PriceNano } from '#base/money.ts';
import type { QueuedItem, QueuedOrders } from './queued-orders.ts';

/** So many are looked for at once, or as many as will count; and so many are in order behind those that do. */
const NEXT_MAX = 16;

/** An order as it stands among those of its account. */
export interface AccountBid extends QueuedItem {
  readonly price: PriceNano;
  readonly seq: number;
  /** The price at which it counts, or would; null while it is too young, or nobody read it since it came of age. */
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
  /** The slots that the account held when it was last decided how many count. Kept by `CountableBids`. */
  heldThen = -1;
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

  /** Whether none is here. `firstYoung` as in `QueuedOrders`. */
  isEmpty(firstYoung: number): boolean {
    if (this.#ranked.length > 0 || !this.#mayHaveSpares) return this.#ranked.length === 0;
    this.#rankSpares(NEXT_MAX, firstYoung);
    // Others may still become credible without being told of.
    this.#mayHaveSpares = true;
    return this.#ranked.length === 0;
  }

  /** What bids less than this is spare. Infinity when none is in order. */
  get spareBelow(): PriceNano {
    return this.#prices.at(-1) ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a bid of the account counts. */
  isCounting(bid: Bid): boolean {
    return this.#isRanked(bid) && this.#placeIn(bid) < this.#counting;
  }

  /** Takes a bid that is not here. Returns whether it counts: if it stands before another that does. */
  insert(bid: Bid): boolean {
    const { seq } = bid;
    const place = this.#placeOf(bid.credible ?? 0, seq);
    const next = this.#ranked.length - this.#counting;
    if (place === this.#ranked.length && (this.#mayHaveSpares || next >= NEXT_MAX)) {
      this.#keep(bid, seq);
      return false;
    }
    this.#queued.clearSpare(bid);
    this.#ranked.splice(place, 0, bid);
    this.#prices.splice(place, 0, bid.credible ?? 0);
    this.#seqs.splice(place, 0, seq);
    const counts = place < this.#counting;
    if (counts) this.#counting++;
    // Those behind the bids that count were looked for, or counted before. Whoever comes makes them no more, and too many fewer.
    if (place < this.#ranked.length - 1) this.#drop(next > NEXT_MAX ? 2 : Math.min(next, 1));
    return counts;
  }

  /** Removes a bid, also one that became credible without being told of. Returns whether it counted. */
  remove(bid: Bid): boolean {
    if (!this.#isRanked(bid)) {
      this.#queued.clearSpare(bid);
      return false;
    }
    const place = this.#placeIn(bid);
    this.#ranked.splice(place, 1);
    this.#prices.splice(place, 1);
    this.#seqs.splice(place, 1);
    const counted = place < this.#counting;
    if (counted) this.#counting--;
    return counted;
  }

  /** Lets the next of as many bids as are `wanted` count and returns it; null when all do. `firstYoung` as above. */
  raise(wanted: number, firstYoung: number): Bid | null {
    const isLast = this.#counting === this.#ranked.length;
    if (isLast && this.#mayHaveSpares) this.#rankSpares(Math.max(wanted, NEXT_MAX), firstYoung);
    const next = this.#ranked[this.#counting];
    if (next) this.#counting++;
    return next ?? null;
  }

  /** Lets the last bid that counts no longer count and returns it; null when none does. It stays in order. */
  lower(): Bid | null {
    if (this.#counting === 0) return null;
    return this.#ranked[--this.#counting] ?? null;
  }

  /** From now on bids below `spareBelow` may become credible without being told of. */
  leaveSparesUntold(): void {
    this.#mayHaveSpares = true;
  }

  #rankSpares(count: number, firstYoung: number): void {
    const best = this.#queued.bestSpares(count, firstYoung);
    for (const bid of best) {
      // One that was never read.
      bid.credible ??= bid.price;
      this.#ranked.push(bid);
      this.#prices.push(bid.credible);
      this.#seqs.push(this.#queued.spareSeq(bid));
      this.#queued.clearSpare(bid);
    }
    this.#mayHaveSpares = best.length === count;
  }

  /** Makes the last bids in order spare. */
  #drop(count: number): void {
    for (let left = count; left > 0; left--) {
      const last = this.#ranked.pop();
      this.#prices.pop();
      const seq = this.#seqs.pop() ?? 0;
      if (last) this.#keep(last, seq);
    }
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
    const place = this.#ranked.indexOf(bid, this.#placeOf(bid.credible ?? 0, Number.NEGATIVE_INFINITY));
    assert(place >= 0, 'a credible bid that is not spare is in order');
    return place;
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
