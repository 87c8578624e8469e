/**
 * The queued orders: how many each account has, and when each runs out of time. An order is in here exactly while its
 * phase is `queued`. Spec 8 sets two limits, for lines of batches and for all others; a requeue and an order that
 * starts at once never count against them.
 */
import type { Clock } from '#base/clock.ts';
import { Deadlines } from './deadlines.ts';
import type { LiveOrder } from './live-order.ts';

/** What an account has in here. */
interface Waiting {
  orders: number;
  lines: number;
}

/** The limits of one account. */
export interface WaitingRoomLimits {
  /** Interactive and detached orders. */
  readonly ordersMax: number;
  /** Lines of batches. */
  readonly linesMax: number;
}

/** Keeps queued orders until they leave or fall due. */
export class WaitingRoom {
  readonly #limits: WaitingRoomLimits;
  readonly #byAccount = new Map<string, Waiting>();
  readonly #deadlines: Deadlines<LiveOrder>;
  #size = 0;

  /** `onDue` gets each order whose time has come; it is still in here then. */
  constructor(parts: WaitingRoomLimits & { clock: Clock; onDue: (order: LiveOrder) => void }) {
    this.#limits = parts;
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

  /** Whether the account has as many queued orders as it may: lines of batches, or all others. */
  isFull(accountId: string, lines: boolean): boolean {
    if (lines) return this.roomForLines(accountId) <= 0;
    return (this.#byAccount.get(accountId)?.orders ?? 0) >= this.#limits.ordersMax;
  }

  /** How many more lines of the account may wait; below 0 where requeued ones came on top. */
  roomForLines(accountId: string): number {
    return this.#limits.linesMax - (this.#byAccount.get(accountId)?.lines ?? 0);
  }

  /** The order waits from now on. */
  enter(order: LiveOrder): void {
    order.phase = 'queued';
    const { accountId, batchId } = order.row;
    const waiting = this.#byAccount.get(accountId) ?? { orders: 0, lines: 0 };
    this.#byAccount.set(accountId, waiting);
    waiting[batchId === null ? 'orders' : 'lines']++;
    this.#size++;
    this.#deadlines.set(order, order.expiresAtMs);
  }

  /** The order goes on to `phase`; harmless for the count when it was not waiting. */
  leave(order: LiveOrder, phase: Exclude<LiveOrder['phase'], 'queued'>): void {
    if (order.phase === 'queued') {
      this.#uncount(order);
      this.#size--;
      this.#deadlines.delete(order);
    }
    order.phase = phase;
  }

  #uncount({ row: { accountId, batchId } }: LiveOrder): void {
    const waiting = this.#byAccount.get(accountId);
    if (!waiting) return;
    waiting[batchId === null ? 'orders' : 'lines']--;
    if (waiting.orders + waiting.lines === 0) this.#byAccount.delete(accountId);
  }

  /** Nothing falls due any more. */
  close(): void {
    this.#deadlines.close();
  }
}
