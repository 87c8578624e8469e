/**
 * The queued orders: how many each account has, how much they hold, and when each expires. An order is in here exactly while its phase is
 * `queued`. Spec 8 sets two limits, one for batch lines and one for all others; an order that is requeued or starts at
 * once is never refused by them.
 */
import type { Clock } from '#base/clock.ts';
import { Deadlines } from './deadlines.ts';
import type { LiveOrder } from './live-order.ts';
import type { WaitingInputs } from './waiting-inputs.ts';

/** How many queued orders one account has. */
interface AccountCounts {
  orders: number;
  lines: number;
}

/** The limits of one account. */
export interface PendingOrdersOptions {
  /** Interactive and detached orders. */
  readonly ordersMax: number;
  /** Lines of batches. */
  readonly linesMax: number;
}

/** Keeps queued orders until they leave or expire. */
export class PendingOrders {
  readonly #limits: PendingOrdersOptions;
  readonly #byAccount = new Map<string, AccountCounts>();
  readonly #deadlines: Deadlines<LiveOrder>;
  readonly #inputs: WaitingInputs;
  #size = 0;

  /** `onDue` gets each order that falls due; the order is still in here then. */
  constructor(
    options: PendingOrdersOptions & { clock: Clock; inputs: WaitingInputs; onDue: (order: LiveOrder) => void },
  ) {
    this.#limits = options;
    this.#inputs = options.inputs;
    this.#deadlines = new Deadlines(options.clock, options.onDue);
  }

  /** Queued orders of every account. */
  get size(): number {
    return this.#size;
  }

  /** Accounts that have queued orders. */
  get accounts(): string[] {
    return [...this.#byAccount.keys()];
  }

  /** Whether the account has as many queued orders as it may: batch lines, or all others. */
  isFull(accountId: string, lines: boolean): boolean {
    if (lines) return this.roomForLines(accountId) <= 0;
    return (this.#byAccount.get(accountId)?.orders ?? 0) >= this.#limits.ordersMax;
  }

  /** How many more lines the account may queue; below 0 when requeued ones came on top. */
  roomForLines(accountId: string): number {
    return this.#limits.linesMax - (this.#byAccount.get(accountId)?.lines ?? 0);
  }

  /** The order is queued from now on. */
  enter(order: LiveOrder): void {
    order.phase = 'queued';
    const { accountId, batchId } = order.row;
    const counts = this.#byAccount.get(accountId) ?? { orders: 0, lines: 0 };
    this.#byAccount.set(accountId, counts);
    counts[batchId === null ? 'orders' : 'lines']++;
    this.#size++;
    this.#inputs.enter(order);
    this.#deadlines.set(order, order.expiresAtMs);
  }

  /** The order moves on to `phase`; the counts stay as they are when it was not queued. */
  leave(order: LiveOrder, phase: Exclude<LiveOrder['phase'], 'queued'>): void {
    if (order.phase === 'queued') {
      this.#uncount(order);
      this.#size--;
      this.#inputs.leave(order);
      this.#deadlines.delete(order);
    }
    order.phase = phase;
  }

  #uncount({ row: { accountId, batchId } }: LiveOrder): void {
    const counts = this.#byAccount.get(accountId);
    if (!counts) return;
    counts[batchId === null ? 'orders' : 'lines']--;
    if (counts.orders + counts.lines === 0) this.#byAccount.delete(accountId);
  }

  /** Nothing falls due any more. */
  close(): void {
    this.#deadlines.close();
  }
}
