/**
 * Ends queued orders: canceled by their owner, expired (max_wait or a lock's window), left by their caller, or turned
 * away by a closing gateway. The executor ends running ones. Nothing is charged here. Spec 3; docs/understand/lifecycle.md.
 */
import { Fault, type FaultCode } from '#base/fault.ts';
import { inTime, overdueFault } from '#base/journal.ts';
import { Semaphore } from '#base/semaphore.ts';
import { tellUnanswered } from './ended-order.ts';
import type { LiveOrder } from './live-order.ts';
import type { OrderRow } from './order.ts';
import type { OrderServiceParts } from './order-parts.ts';
import type { Stop } from './stops.ts';

/** How many ends of batch lines are written at once. Thousands end together, and other orders use the same journal. */
const ENDS_AT_ONCE = 64;

/** Why a queued order ends, as stored in its row. */
interface Reason extends Stop {
  readonly status: 'canceled' | 'expired' | 'error';
}

/** The end of an order, as written. */
interface Ending extends Reason {
  readonly orderId: string;
  readonly accountId: string;
}

/** Takes queued orders out of the book and writes their end. */
export class Closings {
  readonly #options: OrderServiceParts;
  readonly #lineSemaphore = new Semaphore(ENDS_AT_ONCE);

  constructor(options: OrderServiceParts) {
    this.#options = options;
  }

  /**
   * The owner cancels. False when the database says that the order was no longer queued. Throws unavailable when that
   * is not known by the deadline; the order is then canceled later.
   */
  cancel(order: LiveOrder): Promise<boolean> {
    const reason = { status: 'canceled', error: 'order_canceled', fault: new Fault('order_canceled') } as const;
    return inTime((overdue) => this.#close(order, reason, overdue));
  }

  /**
   * It expires; a lock, or an order at a fixed price, waited for a slot (capacity) and not for a price. A request that
   * could not be read when it was to run ends as an error.
   */
  expire(order: LiveOrder): void {
    const isUnread = order.unreadTimes > 0;
    const waited = order.row.priceLock || order.listing.type === 'fixed' ? 'capacity_unavailable' : 'order_expired';
    const error = isUnread ? 'input_unreadable' : waited;
    void this.#close(order, { status: isUnread ? 'error' : 'expired', error, fault: new Fault(error) });
  }

  /** It must not wait here any longer. An order that outlives its caller stays queued for the next process when this one closes. */
  stop(order: LiveOrder, { error, fault }: Stop): void {
    if (error !== 'gateway_draining' || !order.row.outlives) {
      void this.#close(order, { status: error === 'prices_changed' ? 'error' : 'canceled', error, fault });
      return;
    }
    this.#options.forget(order);
    order.end({ status: 'canceled', fault: fault.withOrder(order.orderId) });
  }

  /** Its account was suspended. */
  suspend(order: LiveOrder): void {
    const fault = new Fault('order_canceled', {
      message: 'The order was canceled while it waited, because its account was suspended. Nothing was charged.',
    });
    void this.#close(order, { status: 'canceled', error: 'account_suspended', fault });
  }

  /** Ends an order of an earlier process that can no longer run. */
  orphan({ id: orderId, accountId }: OrderRow, code: FaultCode): void {
    const ending = { orderId, accountId, status: 'error', error: code, fault: new Fault(code) } as const;
    // If the end cannot be written, it is tried again when the order is next picked up.
    this.#lineSemaphore.run(() => this.#write(ending)).catch(() => {});
  }

  async #close(order: LiveOrder, { status, error, fault }: Reason, overdue = () => {}): Promise<boolean> {
    const { orderId, listing } = order;
    const { accountId } = order.row;
    order.moveTo('closing');
    this.#options.sendCommand({ type: 'withdraw', model: listing.id, order: orderId, expired: status === 'expired' });
    const write = () =>
      this.#write({ orderId, accountId, status, error, fault }, () => {
        overdue();
        // The caller of a line is its batch, which waits.
        if (order.row.batchId === null) order.end({ status: 'error', fault: overdueFault().withOrder(orderId) });
      });
    const written = order.row.batchId === null ? write() : this.#lineSemaphore.run(write);
    const changed = await written.catch(() => false);
    this.#options.forget(order, written);
    const end = { status, error, atMs: this.#options.clock.nowMs(), ran: false };
    if (changed) tellUnanswered(this.#options, order, end);
    const answer = changed ? fault : new Fault('internal_error');
    order.end({ status: changed ? status : 'error', fault: answer.withOrder(orderId) });
    return changed;
  }

  /**
   * False when the order was no longer queued, or its end cannot be written: then its row says that it ended in an
   * internal error. Rejects when the database refuses that as well.
   */
  async #write({ fault, ...ending }: Ending, overdue?: () => void): Promise<boolean> {
    const finishedAtMs = this.#options.clock.nowMs();
    const unit = { kind: 'close', ...ending, errorMessage: fault.message, finishedAtMs } as const;
    try {
      return (await this.#options.journal.write(unit, overdue)).result === 'changed';
    } catch (cause) {
      this.#options.log.error({ order: ending.orderId, err: cause }, 'The end of an order could not be written.');
      const { message } = new Fault('internal_error');
      await this.#options.journal.write({ ...unit, status: 'error', error: 'internal_error', errorMessage: message });
      return false;
    }
  }
}
