/**
 * Orders that wait until the budget of their key has room: their hold was refused only because of other holds of the
 * key. They stay queued, outside every book, as the orders of a parked account do; but only this key's, so the
 * account's others go on. When a run of the key ends, the best of them in each market return to their places and try
 * again, and each that starts or is refused for good lets one more follow in its market: a market that sells nothing
 * keeps no other waiting. Runs of other gateways, a new period and a raised budget are not told here: the review tries
 * every second, and each time others than before, of which some may need less. docs/lifecycle.md.
 */
import type { Command } from '#market/ports.ts';
import { type LiveOrder, restCommand } from './live-order.ts';

/** How many return at once in each market. One usually fits where one has ended; all of thousands would only be refused again. */
const TRIED_AT_ONCE = 8;

/** What waiting for a budget needs of the order service. */
export interface KeyWaitsOptions {
  /** The live orders that count in the budget of a key. */
  readonly ofBudget: (keyId: string) => Iterable<LiveOrder>;
  readonly sendCommand: (command: Command) => void;
}

/** The orders of a key that wait. */
interface Waiting {
  readonly orders: Set<LiveOrder>;
  /** Those that reviews brought back since room was made last, or since all were. */
  readonly reviewed: Set<LiveOrder>;
}

/** The orders that wait, by key. */
export class KeyWaits {
  readonly #options: KeyWaitsOptions;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: KeyWaitsOptions) {
    this.#options = options;
  }

  /**
   * This order, which is queued and in no book any more, was refused. The key's other queued orders leave their books,
   * too: otherwise each would take a slot in turn, only to be refused.
   */
  wait(order: LiveOrder): void {
    const { keyId } = order.row;
    if (keyId === null) return;
    this.#add(keyId, order);
    for (const other of this.#options.ofBudget(keyId)) {
      if (other.phase !== 'queued' || other.opening || other.heldBack) continue;
      this.#add(keyId, other);
      const { orderId, listing } = other;
      this.#options.sendCommand({ type: 'withdraw', model: listing.id, order: orderId, expired: false });
    }
  }

  /** A hold of this order's key was given back: some of those that wait try again. */
  freed(order: LiveOrder): void {
    const waiting = this.#besides(order);
    waiting?.reviewed.clear();
    if (waiting) this.#restBest(waiting.orders);
  }

  /** This order was granted its hold, or refused for good: one more may follow it. */
  answered(order: LiveOrder): void {
    const others = this.#besides(order)?.orders ?? [];
    const [best] = bestOf(
      [...others].filter(({ listing }) => listing.id === order.listing.id),
      1,
    );
    if (best) this.#rest(best);
  }

  /** Every key is tried again, and what has ended is dropped: however many are canceled, they take no memory. */
  review(): void {
    for (const { orders, reviewed } of [...this.#waiting.values()]) {
      for (const order of [...orders, ...reviewed]) {
        if (order.phase === 'queued') continue;
        reviewed.delete(order);
        this.forget(order);
      }
      if ([...orders].every((order) => reviewed.has(order))) reviewed.clear();
      const others = [...orders].filter((order) => !reviewed.has(order));
      for (const order of this.#restBest(others)) reviewed.add(order);
    }
  }

  /** The order alone returns to its book, if it waits. */
  rejoin(order: LiveOrder): void {
    if (order.heldBack) this.#rest(order);
  }

  /** The order waits no longer. One that ends stays until the next review. */
  forget(order: LiveOrder): void {
    if (!order.heldBack) return;
    order.heldBack = false;
    const { keyId } = order.row;
    const waiting = keyId === null ? undefined : this.#waiting.get(keyId);
    waiting?.orders.delete(order);
    if (waiting?.orders.size === 0 && keyId !== null) this.#waiting.delete(keyId);
  }

  #add(keyId: string, order: LiveOrder): void {
    order.heldBack = true;
    const waiting = this.#waiting.get(keyId);
    if (waiting) waiting.orders.add(order);
    else this.#waiting.set(keyId, { orders: new Set([order]), reviewed: new Set() });
  }

  #besides({ budgeted, row: { keyId } }: LiveOrder): Waiting | undefined {
    return budgeted && keyId !== null ? this.#waiting.get(keyId) : undefined;
  }

  /** The best of each market return; which they are. */
  #restBest(orders: Iterable<LiveOrder>): LiveOrder[] {
    const best = Array.from(Map.groupBy(orders, ({ listing }) => listing.id).values(), (ofMarket) =>
      bestOf(ofMarket, TRIED_AT_ONCE),
    ).flat();
    for (const order of best) this.#rest(order);
    return best;
  }

  #rest(order: LiveOrder): void {
    this.forget(order);
    if (order.phase === 'queued') this.#options.sendCommand(restCommand(order));
  }
}

/** The best `count` that still wait, in one walk: a free slot goes to whoever rests first. */
function bestOf(orders: Iterable<LiveOrder>, count: number): LiveOrder[] {
  const best: LiveOrder[] = [];
  for (const order of orders) {
    if (order.phase !== 'queued') continue;
    let at = best.length;
    for (let above = best[at - 1]; above && isBetter(order, above); above = best[at - 1]) at--;
    if (at < count) best.splice(at, 0, order);
    if (best.length > count) best.pop();
  }
  return best;
}

function isBetter(one: LiveOrder, other: LiveOrder): boolean {
  return one.bid === other.bid ? seqOf(one) < seqOf(other) : one.bid > other.bid;
}

function seqOf({ restedSeq }: LiveOrder): number {
  return restedSeq ?? Number.MAX_SAFE_INTEGER;
}
