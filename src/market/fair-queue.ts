/**
 * The queue of a fixed-price listing: one queue per account, in order of arrival. The next slot goes to the waiting
 * account that holds the fewest slots; of several, to the one served longest ago. Plain round robin would give most of
 * the slot time to the account with the longest jobs. An account at its largest share is passed over by the same rule:
 * any other waiting account below the share holds fewer slots.
 */
import type { MarketAccount, MarketOrder, Queue } from './market-order.ts';
import { NOT_RESTING, OrderBook, type Ranked } from './order-book.ts';

/** The number of accounts without orders whose last serving is remembered. The oldest are forgotten first. */
const REMEMBERED_MAX = 10_000;

/** Waiting orders by account; O(log n) in the number of waiting accounts. */
export class FairQueue implements Queue {
  readonly #queues = new Map<string, AccountQueue>();
  /** Waiting accounts, the next one first: by slots held, then by when they were last served. */
  readonly #ranking = new OrderBook<AccountQueue>();
  readonly #lastServed = new Map<string, number>();
  #servedSeq = 0;
  /** Accounts never served come before all others, in order of arrival: they count up from here. */
  #newcomerSeq = Number.MIN_SAFE_INTEGER;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(order: MarketOrder): void {
    const queue = this.#queues.get(order.account.id) ?? this.#join(order.account);
    queue.orders.splice(placeOf(queue.orders, order.seq), 0, order);
    this.#size++;
    if (queue.orders.length === 1) this.#ranking.insert(queue);
  }

  remove(order: MarketOrder): void {
    const queue = this.#queues.get(order.account.id);
    const index = queue ? placeOf(queue.orders, order.seq) : 0;
    if (queue?.orders[index] !== order) return;
    queue.orders.splice(index, 1);
    this.#size--;
    if (queue.orders.length > 0) return;
    this.#ranking.remove(queue);
    this.#queues.delete(queue.account);
    this.#remember(queue.account, queue.seq);
  }

  next(): MarketOrder | null {
    return this.#ranking.best()?.orders[0] ?? null;
  }

  heldChanged(account: MarketAccount, served: boolean): void {
    const number = served ? ++this.#servedSeq : null;
    const queue = this.#queues.get(account.id);
    if (queue) {
      this.#ranking.remove(queue);
      queue.price = -account.held;
      queue.seq = number ?? queue.seq;
      this.#ranking.insert(queue);
    } else if (number !== null) {
      this.#remember(account.id, number);
    }
  }

  #join(account: MarketAccount): AccountQueue {
    const queue = new AccountQueue(account, this.#lastServed.get(account.id) ?? ++this.#newcomerSeq);
    this.#lastServed.delete(account.id);
    this.#queues.set(account.id, queue);
    return queue;
  }

  #remember(account: string, served: number): void {
    this.#lastServed.set(account, served);
    if (this.#lastServed.size <= REMEMBERED_MAX) return;
    for (const oldest of this.#lastServed.keys()) {
      this.#lastServed.delete(oldest);
      return;
    }
  }
}

/** A waiting account. Ranks by the fewest slots held, then by the number of its last serving. */
class AccountQueue implements Ranked {
  readonly account: string;
  /** Minus the slots held, because the highest price ranks first. */
  price: number;
  seq: number;
  slot = NOT_RESTING;
  readonly orders: MarketOrder[] = [];

  constructor(account: MarketAccount, seq: number) {
    this.account = account.id;
    this.price = -account.held;
    this.seq = seq;
  }
}

/** The index at which an order with this seq stands, or would stand, among orders by arrival. */
function placeOf(orders: readonly MarketOrder[], seq: number): number {
  let low = 0;
  let high = orders.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((orders[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
