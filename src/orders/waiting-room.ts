/**
 * The queued orders: how many each account has, and when each runs out of time. An order is in here exactly while its
 * phase is `queued`. Spec 8 sets the ceiling; a requeue and an order that starts at once never count against it.
 */
import type { Clock } from '#base/clock.ts';
import { Deadlines } from './deadlines.ts';
import type { LiveOrder } from './live-order.ts';

/** Keeps queued orders until they leave or fall due. */
export class WaitingRoom {
  readonly #ordersMax: number;
  readonly #byAccount = new Map<string, number>();
  readonly #deadlines: Deadlines<LiveOrder>;
  #size = 0;

  /** `onDue` gets each order whose time has come; it is still in here then. */
  constructor(parts: { clock: Clock; ordersMax: number; onDue: (order: LiveOrder) => void }) {
    this.#ordersMax = parts.ordersMax;
    this.#deadlines = new Deadlines(parts.clock, parts.onDue);
  }

  /** Queued orders of every account. */
  get size(): number {
    return this.#size;
  }

  /** Accounts that have queued orders. */
  get accounts(): string[] {
    return [...this.#byAccount.keys()];
  }

  /** Whether the account has as many queued orders as it may. */
  isFull(accountId: string): boolean {
    return (this.#byAccount.get(accountId) ?? 0) >= this.#ordersMax;
  }

  /** The order waits from now on. */
  enter(order: LiveOrder): void {
    order.phase = 'queued';
    const { accountId } = order.row;
    this.#byAccount.set(accountId, (this.#byAccount.get(accountId) ?? 0) + 1);
    this.#size++;
    this.#deadlines.set(order, order.expiresAtMs);
  }

  /** The order goes on to `phase`; harmless for the count when it was not waiting. */
  leave(order: LiveOrder, phase: Exclude<LiveOrder['phase'], 'queued'>): void {
    if (order.phase === 'queued') {
      const { accountId } = order.row;
      const left = (this.#byAccount.get(accountId) ?? 1) - 1;
      if (left > 0) this.#byAccount.set(accountId, left);
      else this.#byAccount.delete(accountId);
      this.#size--;
      this.#deadlines.delete(order);
    }
    order.phase = phase;
  }

  /** Nothing falls due any more. */
  close(): void {
    this.#deadlines.close();
  }
}
