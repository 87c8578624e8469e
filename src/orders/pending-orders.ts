/**
 * The queued orders: how many each account has, how much they hold, and when each expires. An order is in here exactly while its phase is
 * `queued`. Spec 8 sets two limits, one for batch lines and one for all others; an order that is requeued or starts at
 * once is never refused by them.
 */
import type { Clock } from '#base/clock.ts';
import { FairShare } from '#base/fair-share.ts';
import { Fault } from '#base/fault.ts';
import { ExpiryTimer } from './expiry-timer.ts';
import type { LiveOrder } from './live-order.ts';
import type { WaitingInputs } from './waiting-inputs.ts';

/** How many orders may be queued; read again each time. */
export interface PendingLimits {
  /** Interactive and detached orders of an account. */
  readonly queuedOrdersPerAccount: number;
  /** Lines of batches of an account. */
  readonly queuedBatchOrdersPerAccount: number;
  /** The same for all accounts; one may have as many as it leaves free. */
  readonly queuedOrders: number;
  readonly queuedBatchOrders: number;
}

interface PendingOrdersOptions {
  readonly clock: Clock;
  readonly inputs: WaitingInputs;
  readonly limits: PendingLimits;
  /** Gets each order that falls due; the order is still in here then. */
  readonly onDue: (order: LiveOrder) => void;
}

/** Keeps queued orders until they leave or expire. */
export class PendingOrders {
  readonly #limits: PendingLimits;
  readonly #orders: FairShare;
  readonly #lines: FairShare;
  readonly #expiry: ExpiryTimer<LiveOrder>;
  readonly #inputs: WaitingInputs;

  constructor({ clock, inputs, limits, onDue }: PendingOrdersOptions) {
    this.#limits = limits;
    this.#orders = new FairShare(() => limits.queuedOrders);
    this.#lines = new FairShare(() => limits.queuedBatchOrders);
    this.#inputs = inputs;
    this.#expiry = new ExpiryTimer(clock, onDue);
  }

  /** Queued orders of every account. */
  get size(): number {
    return this.#orders.total + this.#lines.total;
  }

  /** Accounts that have queued orders. */
  get accounts(): string[] {
    return [...new Set([...this.#orders.accounts, ...this.#lines.accounts])];
  }

  /** Why the account may queue no more batch lines, or no more of all others; null when it may. */
  refusal(accountId: string, lines: boolean): Fault | null {
    if (lines) return this.roomForLines(accountId) < 1 ? new Fault('queue_full') : null;
    if (this.#orders.of(accountId) >= this.#limits.queuedOrdersPerAccount) return new Fault('queue_full');
    if (this.#orders.roomFor(accountId) >= 1) return null;
    const message = 'As many orders wait in this gateway as may. Try again later.';
    return new Fault('queue_full', { message });
  }

  /**
   * How many more lines the account may queue; below 1 for none. An account without any may always queue one: nothing of
   * its own would end and let it try again.
   */
  roomForLines(accountId: string): number {
    const queued = this.#lines.of(accountId);
    const room = Math.floor(this.#lines.roomFor(accountId));
    return Math.min(this.#limits.queuedBatchOrdersPerAccount - queued, queued === 0 ? Math.max(1, room) : room);
  }

  /** Follows an order whose phase was `before`. */
  moved(order: LiveOrder, before: LiveOrder['phase']): void {
    if (before === 'queued') {
      this.#count(order, -1);
      this.#inputs.leave(order);
      this.#expiry.delete(order);
    }
    if (order.phase !== 'queued') return;
    this.#count(order, 1);
    this.#inputs.enter(order);
    this.#expiry.set(order, order.expiresAtMs);
  }

  #count({ row: { accountId, batchId } }: LiveOrder, sign: 1 | -1): void {
    (batchId === null ? this.#orders : this.#lines).add(accountId, sign);
  }

  /** Nothing falls due any more. */
  close(): void {
    this.#expiry.close();
  }
}
