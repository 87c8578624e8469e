/**
 * Orders that wait until the budget of their key has room: their hold was refused only because of other holds of the
 * key. They stay queued, outside every book, as the orders of a parked account do; but only this key's, so the
 * account's others go on. When a run of the key ends, all return to their places and try again. Runs of other gateways,
 * a new period and a raised budget are not told here: the review tries every second. docs/lifecycle.md.
 */
import type { Command } from '#market/ports.ts';
import { type LiveOrder, restCommand } from './live-order.ts';

/** What waiting for a budget needs of the order service. */
export interface KeyWaitsOptions {
  /** Every live order. */
  readonly live: () => Iterable<LiveOrder>;
  readonly sendCommand: (command: Command) => void;
}

/** The orders that wait, by key. */
export class KeyWaits {
  readonly #options: KeyWaitsOptions;
  readonly #waiting = new Map<string, Set<LiveOrder>>();

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
    for (const other of this.#options.live()) {
      const rests = other.row.keyId === keyId && other.phase === 'queued' && !other.opening;
      if (!rests || !other.budgeted || other.heldBack) continue;
      this.#add(keyId, other);
      const { orderId, listing } = other;
      this.#options.sendCommand({ type: 'withdraw', model: listing.id, order: orderId, expired: false });
    }
  }

  /** A hold of this order's key was given back, or its budget was found spent: those that wait try again. */
  changed({ budgeted, row: { keyId } }: LiveOrder): void {
    if (budgeted && keyId !== null) this.#tryAgain(keyId);
  }

  /** Every key is tried again. */
  review(): void {
    for (const keyId of [...this.#waiting.keys()]) this.#tryAgain(keyId);
  }

  /** The order alone returns to its book, if it waits. */
  rejoin(order: LiveOrder): void {
    if (order.heldBack) this.#rest(order);
  }

  /** The order waits no longer. One that ends may stay: the next try drops it. */
  forget(order: LiveOrder): void {
    if (!order.heldBack) return;
    order.heldBack = false;
    const { keyId } = order.row;
    const waiting = keyId === null ? undefined : this.#waiting.get(keyId);
    waiting?.delete(order);
    if (waiting?.size === 0 && keyId !== null) this.#waiting.delete(keyId);
  }

  #add(keyId: string, order: LiveOrder): void {
    order.heldBack = true;
    const waiting = this.#waiting.get(keyId);
    if (waiting) waiting.add(order);
    else this.#waiting.set(keyId, new Set([order]));
  }

  /** The best bids first, and the oldest of those: a free slot goes to whoever rests first. */
  #tryAgain(keyId: string): void {
    const waiting = [...(this.#waiting.get(keyId) ?? [])];
    waiting.sort((one, other) => other.bid - one.bid || (one.restedSeq ?? 0) - (other.restedSeq ?? 0));
    for (const order of waiting) this.#rest(order);
  }

  #rest(order: LiveOrder): void {
    this.forget(order);
    if (order.phase === 'queued') this.#options.sendCommand(restCommand(order));
  }
}
