/**
 * The queue of a fixed-price listing: one queue per account, in order of arrival. The next slot goes to the
 * waiting account that holds the fewest slots, ties to the one served longest ago. Plain round robin would hand most
 * of the slot time to whoever runs the longest jobs. An account at its largest share is passed over by the same rule:
 * any other waiting account below the share holds fewer slots.
 */
import type { MarketAccount, MarketOrder, Queue } from './market-order.ts';
import { NOT_RESTING, OrderBook, type Ranked } from './order-book.ts';

/** How many accounts without orders are remembered by when they were last served; the oldest are forgotten first. */
const REMEMBERED_MAX = 10_000;

/** Waiting orders by account; O(log n) in the accounts that wait. */
export class Turns implements Queue {
  readonly #turns = new Map<string, Turn>();
  /** Waiting accounts, the next one first: ranked by slots held, then by when they were last served. */
  readonly #ranking = new OrderBook<Turn>();
  readonly #lastServed = new Map<string, number>();
  #served = 0;
  /** Accounts never served come before all others, in order of arrival. */
  #newcomers = Number.MIN_SAFE_INTEGER;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(order: MarketOrder): void {
    const turn = this.#turns.get(order.account.id) ?? this.#join(order.account);
    turn.orders.splice(placeOf(turn.orders, order.seq), 0, order);
    this.#size++;
    if (turn.orders.length === 1) this.#ranking.insert(turn);
  }

  remove(order: MarketOrder): void {
    const turn = this.#turns.get(order.account.id);
    const index = turn ? placeOf(turn.orders, order.seq) : 0;
    if (turn?.orders[index] !== order) return;
    turn.orders.splice(index, 1);
    this.#size--;
    if (turn.orders.length > 0) return;
    this.#ranking.remove(turn);
    this.#turns.delete(turn.account);
    this.#remember(turn.account, turn.seq);
  }

  next(): MarketOrder | null {
    return this.#ranking.best()?.orders[0] ?? null;
  }

  heldChanged(account: MarketAccount, served: boolean): void {
    const number = served ? ++this.#served : null;
    const turn = this.#turns.get(account.id);
    if (turn) {
      this.#ranking.remove(turn);
      turn.price = -account.held;
      turn.seq = number ?? turn.seq;
      this.#ranking.insert(turn);
    } else if (number !== null) {
      this.#remember(account.id, number);
    }
  }

  #join(account: MarketAccount): Turn {
    const turn = new Turn(account, this.#lastServed.get(account.id) ?? ++this.#newcomers);
    this.#lastServed.delete(account.id);
    this.#turns.set(account.id, turn);
    return turn;
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

/** A waiting account. It ranks by the fewest slots held, then by the number of its last serving. */
class Turn implements Ranked {
  readonly account: string;
  /** Minus the slots held: the highest comes first. */
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

/** Where an order of this seq stands, or would stand, among orders by arrival. */
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
