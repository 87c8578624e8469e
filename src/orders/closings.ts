/**
 * Ends queued orders: canceled by their owner, expired (max_wait or a lock's window), left by their caller, or turned
 * away by a closing gateway. The executor ends running ones. Nothing is charged here. Spec 3; docs/lifecycle.md.
 */
import { Fault, type FaultCode } from '#base/fault.ts';
import { inTime, overdueFault } from '#base/journal.ts';
import { Semaphore } from '#base/semaphore.ts';
import { tellUnanswered } from './ended-order.ts';
import type { LiveOrder } from './live-order.ts';
import type { OrderRow } from './order.ts';
import type { OrderServiceParts } from './order-parts.ts';
import { LINE_CANCELED, type LineCancelReason } from './order-port.ts';
import type { OrphanCode } from './returning-order.ts';

const DRAIN_RETRY_AFTER_S = 5;
/** How many ends of batch lines are written at once. Thousands end together, and other orders use the same journal. */
const ENDS_AT_ONCE = 64;

/** Why a queued order ends, as stored in its row. */
interface Reason {
  readonly status: 'canceled' | 'expired';
  readonly error: FaultCode | 'client_closed' | 'gateway_draining' | 'gateway_unavailable' | 'account_suspended';
  readonly fault: Fault;
}

/** The end of an order, as written. */
interface Ending {
  readonly orderId: string;
  readonly accountId: string;
  readonly status: Reason['status'] | 'error';
  readonly error: string;
  readonly fault: Fault;
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

  /** It expires; a lock, or an order at a fixed price, waited for a slot (capacity) and not for a price. */
  expire(order: LiveOrder): void {
    const error = order.row.priceLock || order.listing.type === 'fixed' ? 'capacity_unavailable' : 'order_expired';
    void this.#close(order, { status: 'expired', error, fault: new Fault(error) });
  }

  /** The caller has disconnected. */
  leave(order: LiveOrder): void {
    void this.#close(order, { status: 'canceled', error: 'client_closed', fault: new Fault('order_canceled') });
  }

  /** The caller was refused because the order's first write took too long; it has committed now. */
  refuse(order: LiveOrder): void {
    void this.#close(order, { status: 'canceled', error: 'gateway_unavailable', fault: new Fault('unavailable') });
  }

  /** Its account was suspended. */
  suspend(order: LiveOrder): void {
    const fault = new Fault('order_canceled', {
      message: 'The order was canceled while it waited, because its account was suspended. Nothing was charged.',
    });
    void this.#close(order, { status: 'canceled', error: 'account_suspended', fault });
  }

  /** The gateway closes: an order that outlives its caller stays queued for the next process. */
  turnAway(order: LiveOrder): void {
    if (order.acceptTimedOut) {
      this.refuse(order);
      return;
    }
    if (!order.row.outlives) {
      void this.#close(order, { status: 'canceled', error: 'gateway_draining', fault: drainingFault() });
      return;
    }
    this.#options.forget(order);
    order.end({ status: 'canceled', fault: drainingFault().withOrder(order.orderId) });
  }

  /** Its batch was canceled, for this reason. */
  cancelLine(order: LiveOrder, reason: LineCancelReason): void {
    const fault = new Fault('order_canceled', { message: LINE_CANCELED[reason] });
    void this.#close(order, { status: 'canceled', error: reason, fault });
  }

  /** Ends an order of an earlier process that can no longer run. */
  orphan({ id: orderId, accountId }: OrderRow, code: OrphanCode): void {
    const ending = { orderId, accountId, status: 'error', error: code, fault: new Fault(code) } as const;
    void this.#lineSemaphore.run(() => this.#write(ending));
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
    const changed = await (order.row.batchId === null ? write() : this.#lineSemaphore.run(write));
    this.#options.forget(order);
    const end = { status, error, atMs: this.#options.clock.nowMs(), ran: false };
    if (changed) tellUnanswered(this.#options.onEnd, order, end);
    const answer = changed ? fault : new Fault('internal_error');
    order.end({ status: changed ? status : 'error', fault: answer.withOrder(orderId) });
    return changed;
  }

  /** False when the order was no longer queued, or its end cannot be written. */
  async #write({ fault, ...ending }: Ending, overdue?: () => void): Promise<boolean> {
    const finishedAtMs = this.#options.clock.nowMs();
    const unit = { kind: 'close', ...ending, errorMessage: fault.message, finishedAtMs } as const;
    try {
      return (await this.#options.journal.write(unit, overdue)).result === 'changed';
    } catch (cause) {
      this.#options.log.error({ order: ending.orderId, err: cause }, 'The end of an order could not be written.');
      return false;
    }
  }
}

/** The fault for new requests, and for callers still waiting, while the gateway closes. */
export function drainingFault(): Fault {
  return new Fault('unavailable', {
    message: 'The gateway is closing and takes no new requests. Try again shortly.',
    retryAfterS: DRAIN_RETRY_AFTER_S,
  });
}
