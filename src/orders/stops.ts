/**
 * Which orders must start no more work: asked before an order joins its queue, when the exchange chooses it, before its
 * input is read and before a pod gets it. What already runs on a pod is stopped elsewhere. Also whether the gateway closes,
 * which is one of the causes.
 */
import { Fault, type FaultCode } from '#base/fault.ts';
import type { Listings } from '#market/listing.ts';
import type { LiveOrder } from './live-order.ts';
import { LINE_CANCELED, type LineCancelReason } from './order-port.ts';

const DRAIN_RETRY_AFTER_S = 5;

/** Why an order ends without running, as stored in its row, and what its caller gets. */
export interface Stop {
  readonly error: FaultCode | LineCancelReason | 'client_closed' | 'gateway_draining' | 'gateway_unavailable';
  readonly fault: Fault;
}

/** The causes that are known, of one order service. */
export class Stops {
  /**
   * How far the gateway is that closes; null while it does not. It takes nothing new. callers-wait: orders stay queued
   * while their callers wait, because the markets go on without this gateway. queue-ends: nothing stays queued here.
   * cut-off: what runs is not settled either.
   */
  closing: null | 'callers-wait' | 'queue-ends' | 'cut-off' = null;
  readonly #listings: Pick<Listings, 'find'>;

  constructor(listings: Pick<Listings, 'find'>) {
    this.#listings = listings;
  }

  /**
   * Why the order must start no more work; null when it may. Lines that were admitted run, although their batch is
   * canceled. A line runs only at the prices that its batch recorded, which are those it was accepted at; any other order
   * keeps the prices it was submitted with. Spec 3.
   */
  mustStop(order: LiveOrder): Stop | null {
    const { row, batchCanceled } = order;
    const isQueued = order.phase === 'queued';
    if (order.acceptTimedOut) return { error: 'gateway_unavailable', fault: new Fault('unavailable') };
    if (order.callerLeft && !row.outlives) return { error: 'client_closed', fault: new Fault('order_canceled') };
    if (isQueued ? this.#turnsAway(order) : this.closing === 'cut-off')
      return { error: 'gateway_draining', fault: drainingFault() };
    if (isQueued && batchCanceled)
      return { error: batchCanceled, fault: new Fault('order_canceled', { message: LINE_CANCELED[batchCanceled] }) };
    if (row.batchId === null || this.#listings.find(order.listing.id)?.tariff.id === row.tariffId) return null;
    return { error: 'prices_changed', fault: new Fault('prices_changed') };
  }

  #turnsAway({ detached, callerLeft, row }: LiveOrder): boolean {
    const isAwaited = !detached && !callerLeft && row.batchId === null;
    return this.closing !== null && !(this.closing === 'callers-wait' && isAwaited);
  }
}

/** The fault for new requests, and for callers still waiting, while the gateway closes. */
export function drainingFault(): Fault {
  return new Fault('unavailable', {
    message: 'The gateway is closing and takes no new requests. Try again shortly.',
    retryAfterS: DRAIN_RETRY_AFTER_S,
  });
}
