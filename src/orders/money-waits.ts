/**
 * Orders that wait for money: their hold was refused only because of other holds of their account, or of the budget of
 * their key. They stay queued, outside every book. Only orders of the same account or key whose hold is at least as
 * large wait with them: a smaller hold may still be granted. When money is free, the best in each market that may fit
 * return to their places, and each that starts or is refused for good lets one more follow in its market. What other
 * gateways free, a top-up or a new period is found by the review of every second. docs/decisions/0006.
 */
import type { NanoUsd } from '#base/money.ts';
import type { Command } from '#market/ports.ts';
import { type LiveOrder, restCommand } from './live-order.ts';
import type { Funds } from './units.ts';

/**
 * How many return at once in each market. Usually one order fits where one has ended; if thousands returned, most would
 * be refused again.
 */
const TRIED_AT_ONCE = 8;

/** The payer that lacks the money for an order at the moment. */
export type Payer = 'account' | 'key';

/** The parts of the order service that waiting for money needs. */
export interface MoneyWaitsOptions {
  /** The live orders of an account. */
  readonly ofAccount: (accountId: string) => Iterable<LiveOrder>;
  /** The hold that an order would need now. */
  readonly holdNow: (order: LiveOrder) => NanoUsd;
  readonly sendCommand: (command: Command) => void;
}

/** The orders that wait for one payer. */
interface Waiting {
  readonly orders: Set<LiveOrder>;
  /** Orders that reviews brought back since room was last made, or since all were brought back. */
  reviewed: WeakSet<LiveOrder>;
  /** A hold of this much or more cannot be granted; null while that is not known. */
  refused: NanoUsd | null;
}

/** The orders that wait, by account and by key. */
export class MoneyWaits {
  readonly #options: MoneyWaitsOptions;
  readonly #waiting: Readonly<Record<Payer, Map<string, Waiting>>> = { account: new Map(), key: new Map() };

  constructor(options: MoneyWaitsOptions) {
    this.#options = options;
  }

  /** The accounts for whose money orders wait. */
  get accounts(): string[] {
    return [...this.#waiting.account.keys()];
  }

  /** How many orders of this model wait. */
  count(model: string): number {
    const { account, key } = this.#waiting;
    const orders = [...account.values(), ...key.values()].flatMap((waiting) => [...waiting.orders]);
    return orders.filter(({ listing }) => listing.id === model).length;
  }

  /** The payer that cannot cover the hold that the order would need now; null when the hold should be tried. */
  payerWithout(order: LiveOrder): Payer | null {
    for (const payer of ['account', 'key'] as const) {
      const refused = this.#of(payer, order)?.refused ?? null;
      if (refused !== null && this.#options.holdNow(order) >= refused) return payer;
    }
    return null;
  }

  /** This order, which is queued and in no book, waits until the payer has money for its hold. */
  enter(order: LiveOrder, payer: Payer, hold = this.#options.holdNow(order)): void {
    const id = payerId(payer, order);
    if (id === null) return;
    const waiting = this.#waiting[payer].get(id) ?? { orders: new Set(), reviewed: new WeakSet(), refused: null };
    this.forget(order);
    this.#waiting[payer].set(id, waiting);
    if (waiting.refused === null || hold < waiting.refused) waiting.refused = hold;
    waiting.orders.add(order);
    order.heldBack = { payer, hold };
  }

  /**
   * The same of an order that was chosen. What else of the payer is queued and cannot be granted its hold leaves its book,
   * too: otherwise each would take a slot in turn, only to be refused.
   */
  wait(order: LiveOrder, payer: Payer, hold: NanoUsd): void {
    this.enter(order, payer, hold);
    for (const other of this.#options.ofAccount(order.row.accountId)) {
      if (other.phase !== 'queued' || other.opening || other.heldBack || this.payerWithout(other) !== payer) continue;
      this.enter(other, payer);
      const { orderId, listing } = other;
      const out = { model: listing.id, order: orderId, expired: false, waitsForMoney: true } as const;
      this.#options.sendCommand({ type: 'withdraw', ...out });
    }
  }

  /** The account has this much money. */
  funded(accountId: string, { balance, held }: Funds): void {
    const waiting = this.#waiting.account.get(accountId);
    if (!waiting) return;
    const before = waiting.refused;
    // With nothing held it is not a matter of waiting: an order that does not fit is refused for good.
    waiting.refused = held === 0n ? null : balance - held + 1n;
    if (before !== null && (waiting.refused === null || waiting.refused > before)) this.#madeRoom(waiting);
  }

  /** The hold of this order was given back to the budget of its key. */
  freed(order: LiveOrder): void {
    const waiting = this.#of('key', order);
    if (!waiting) return;
    if (waiting.refused !== null) waiting.refused += order.hold;
    this.#madeRoom(waiting);
  }

  /** This order was granted its hold, or refused for good: one more may follow it. */
  answered(order: LiveOrder): void {
    for (const payer of ['account', 'key'] as const) {
      const waiting = this.#of(payer, order);
      if (waiting) this.#rest(bestOf(waiting, 1, ({ listing }) => listing.id === order.listing.id));
    }
  }

  /** Budgets of keys are tried again: what they have left is not known here. */
  reviewKeys(): void {
    for (const waiting of [...this.#waiting.key.values()]) {
      waiting.refused = null;
      this.#review(waiting);
    }
  }

  /** The money of the account was read: orders that fit, perhaps since the level fell, are tried. */
  reviewAccount(accountId: string): void {
    const waiting = this.#waiting.account.get(accountId);
    if (waiting) this.#review(waiting);
  }

  /** The order waits for money no longer. */
  forget(order: LiveOrder): void {
    const { heldBack } = order;
    order.heldBack = null;
    const payer = heldBack?.payer ?? null;
    const id = payer && payerId(payer, order);
    if (payer === null || id === null) return;
    const waiting = this.#waiting[payer].get(id);
    waiting?.orders.delete(order);
    if (waiting?.orders.size === 0) this.#waiting[payer].delete(id);
  }

  /** A review retries other orders than the last; some may need less. */
  #review(waiting: Waiting): void {
    for (const order of waiting.orders) if (order.heldBack) order.heldBack.hold = this.#options.holdNow(order);
    let next = bestOf(waiting, TRIED_AT_ONCE, (order) => !waiting.reviewed.has(order));
    if (next.length === 0) {
      waiting.reviewed = new WeakSet();
      next = bestOf(waiting, TRIED_AT_ONCE);
    }
    for (const order of next) waiting.reviewed.add(order);
    this.#rest(next);
  }

  #madeRoom(waiting: Waiting): void {
    waiting.reviewed = new WeakSet();
    this.#rest(bestOf(waiting, TRIED_AT_ONCE));
  }

  #of(payer: Payer, order: LiveOrder): Waiting | undefined {
    const all = this.#waiting[payer];
    const id = all.size === 0 ? null : payerId(payer, order);
    return id === null ? undefined : all.get(id);
  }

  #rest(orders: readonly LiveOrder[]): void {
    for (const order of orders) {
      this.forget(order);
      this.#options.sendCommand({ ...restCommand(order), waitedForMoney: true });
    }
  }
}

/** The account or the key that pays for the order; null where no key does. */
function payerId(payer: Payer, { budgeted, row: { accountId, keyId } }: LiveOrder): string | null {
  if (payer === 'account') return accountId;
  return budgeted ? keyId : null;
}

/** The best of each market whose hold may be granted, in one walk: a free slot goes to the order that rests first. */
function bestOf({ orders, refused }: Waiting, count: number, may = (_order: LiveOrder) => true): LiveOrder[] {
  const byMarket = new Map<string, LiveOrder[]>();
  for (const order of orders) {
    const { phase, heldBack, listing } = order;
    if (phase !== 'queued' || !heldBack || (refused !== null && heldBack.hold >= refused) || !may(order)) continue;
    const best = byMarket.get(listing.id) ?? [];
    byMarket.set(listing.id, best);
    let at = best.length;
    for (let above = best[at - 1]; above && isBetter(order, above); above = best[at - 1]) at--;
    if (at < count) best.splice(at, 0, order);
    if (best.length > count) best.pop();
  }
  return [...byMarket.values()].flat();
}

function isBetter(one: LiveOrder, other: LiveOrder): boolean {
  return one.bid === other.bid ? seqOf(one) < seqOf(other) : one.bid > other.bid;
}

function seqOf({ restedSeq }: LiveOrder): number {
  return restedSeq ?? Number.MAX_SAFE_INTEGER;
}
