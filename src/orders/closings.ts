/**
 * Ends orders that wait: canceled by their owner, past their time, left by their caller, or turned away by a closing
 * gateway. What runs is ended by the executor. Nothing is charged here. Spec 3; docs/lifecycle.md.
 */
import type { Clock } from '#base/clock.ts';
import { Fault, type FaultCode } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { Turns } from '#base/turns.ts';
import type { Command } from '#market/ports.ts';
import type { JournalPort } from './journal-port.ts';
import type { LiveOrder } from './live-order.ts';
import type { OrphanCode } from './returning.ts';
import type { WaitingRoom } from './waiting-room.ts';

const DRAIN_RETRY_AFTER_S = 5;
/** Lines of batches whose ends are being written. Thousands end together, and other orders use the same journal. */
const LINES_TOGETHER = 64;

/** What closings need of the desk. */
export interface ClosingsParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: JournalPort;
  readonly waiting: WaitingRoom;
  readonly tellExchange: (command: Command) => void;
  readonly forget: (order: LiveOrder) => void;
}

/** Why a queued order ends, as its row says it. */
interface Reason {
  readonly status: 'canceled' | 'expired';
  readonly error: FaultCode | 'client_closed' | 'gateway_draining' | 'account_suspended';
  readonly fault: Fault;
}

/** Takes queued orders out of the book and writes their end. */
export class Closings {
  readonly #parts: ClosingsParts;
  readonly #lineTurns = new Turns(LINES_TOGETHER);

  constructor(parts: ClosingsParts) {
    this.#parts = parts;
  }

  /** The owner's wish. False when the database says that the order was not queued any more. */
  cancel(order: LiveOrder): Promise<boolean> {
    return this.#close(order, { status: 'canceled', error: 'order_canceled', fault: new Fault('order_canceled') });
  }

  /** Its wait is over; a lock, and an order at a fixed price, were waiting for a slot and not for a price. */
  expire(order: LiveOrder): void {
    const error = order.row.priceLock || order.listing.type === 'fixed' ? 'capacity_unavailable' : 'order_expired';
    void this.#close(order, { status: 'expired', error, fault: new Fault(error) });
  }

  /** Its caller is gone. */
  leave(order: LiveOrder): void {
    void this.#close(order, { status: 'canceled', error: 'client_closed', fault: new Fault('order_canceled') });
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
    if (!order.row.outlives) {
      void this.#close(order, { status: 'canceled', error: 'gateway_draining', fault: drainingFault() });
      return;
    }
    this.#parts.forget(order);
    order.end({ status: 'canceled', fault: drainingFault().withOrder(order.orderId) });
  }

  /** Its batch was canceled. */
  cancelLine(order: LiveOrder): void {
    const fault = new Fault('order_canceled', { message: 'The batch was canceled before this line ran.' });
    void this.#close(order, { status: 'canceled', error: 'order_canceled', fault });
  }

  /** An order of an earlier process that can run no more. */
  orphan(orderId: string, code: OrphanCode): void {
    void this.#lineTurns.run(() => this.#write(orderId, 'error', code, new Fault(code)));
  }

  async #close(order: LiveOrder, { status, error, fault }: Reason): Promise<boolean> {
    const { orderId, listing } = order;
    this.#parts.waiting.leave(order, 'closing');
    this.#parts.tellExchange({ type: 'withdraw', model: listing.id, order: orderId, expired: status === 'expired' });
    const write = () => this.#write(orderId, status, error, fault);
    const changed = await (order.row.batchId === null ? write() : this.#lineTurns.run(write));
    this.#parts.forget(order);
    const told = changed ? fault : new Fault('internal_error');
    order.end({ status: changed ? status : 'error', fault: told.withOrder(orderId) });
    return changed;
  }

  /** False when the order was not queued any more, or its end cannot be written. */
  async #write(orderId: string, status: Reason['status'] | 'error', error: string, fault: Fault): Promise<boolean> {
    const finishedAtMs = this.#parts.clock.nowMs();
    const unit = { kind: 'close', orderId, status, error, errorMessage: fault.message, finishedAtMs } as const;
    try {
      return (await this.#parts.journal.write(unit)).result === 'changed';
    } catch (cause) {
      this.#parts.log.error({ order: orderId, err: cause }, 'The end of an order could not be written.');
      return false;
    }
  }
}

/** What a gateway that closes says to new work, and to those who waited. */
export function drainingFault(): Fault {
  return new Fault('unavailable', {
    message: 'The gateway is closing and takes nothing new. Try again shortly.',
    retryAfterS: DRAIN_RETRY_AFTER_S,
  });
}
