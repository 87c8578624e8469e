/**
 * Idempotency-Key: the same key and request give the same order, never a second one. The key's row commits with the
 * order (`storage/journal/accept.ts` decides between concurrent requests), so one creates the order and the others find it.
 * It holds no payload, so a key also counts where no result will be stored: then the repeat of a charged order is refused.
 * The key and the fingerprint of the request are read in `adapters/common/extensions.ts`. Spec 4.1.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { DAY_MS } from '#base/time.ts';
import type { ResultStore } from '#results/ports.ts';
import { decodeResult } from '#results/result.ts';
import type { OrderRow, OrderWithUsage } from './order.ts';
import type { Submission } from './order-port.ts';
import type { OrderStore } from './ports.ts';
import type { InferenceRequest } from './request.ts';
import type { IdempotencyRow } from './units.ts';

/** Looks up keys and decides what a repeat gets. */
export class Idempotency {
  readonly #parts: { readonly clock: Clock; readonly store: OrderStore; readonly results: ResultStore };

  constructor(parts: { clock: Clock; store: OrderStore; results: ResultStore }) {
    this.#parts = parts;
  }

  /**
   * The row to commit with a new order; null when the request is unkeyed. It outlives the longest wait by a day at least;
   * a settlement that stores a result sets it to the life of that.
   */
  rowFor(order: OrderRow, request: InferenceRequest): IdempotencyRow | null {
    const { accountId, id: orderId, retentionDays } = order;
    if (!request.idempotency) return null;
    const { key, fingerprint } = request.idempotency;
    const createdAtMs = this.#parts.clock.nowMs();
    const expiresAtMs = order.expiresAtMs + (retentionDays + 1) * DAY_MS;
    return { accountId, endpoint: request.kind, key, orderId, fingerprint, createdAtMs, expiresAtMs };
  }

  /** What a repeat gets from the earlier order with this key; null when a new order may be created. */
  async find(accountId: string, request: InferenceRequest): Promise<Submission | null> {
    if (!request.idempotency) return null;
    const row = await this.#parts.store.findKey(accountId, request.kind, request.idempotency.key);
    if (!row || row.expiresAtMs <= this.#parts.clock.nowMs()) return null;
    return this.answer(row, request);
  }

  /**
   * What a repeat gets from the order of `row`. Throws idempotency_error for another request, result_pending while it
   * lives or is being stored, result_unavailable when nothing is kept. Null when it ended uncharged: the key is free.
   */
  async answer(row: IdempotencyRow, request: InferenceRequest): Promise<Submission | null> {
    if (row.fingerprint !== request.idempotency?.fingerprint) throw new Fault('idempotency_error');
    const order = await this.#parts.store.find(row.accountId, row.orderId);
    if (!order) return null;
    if (order.status === 'error' || order.status === 'canceled' || order.status === 'expired') return null;
    if (order.detached) return { type: 'accepted-before', order: acceptedOrder(order) };
    if (order.status !== 'done' || order.resultState === 'promised') {
      throw new Fault('result_pending', { retryAfterS: 1, orderId: order.id });
    }
    const stored = order.resultState === 'stored' ? await this.#parts.results.get(order.id) : null;
    if (!stored) throw goneFault(order.id);
    return { type: 'replay', result: decodeResult(stored) };
  }
}

/** The answer's id is in the sentence too: the body is what a caller's client shows. */
function goneFault(orderId: string): Fault {
  const message = `Order ${orderId} of this Idempotency-Key has finished, and its result is not stored.`;
  return new Fault('result_unavailable', { message, orderId });
}

function acceptedOrder(order: OrderWithUsage) {
  return {
    orderId: order.id,
    kind: order.kind,
    createdAtMs: order.createdAtMs,
    expiresAtMs: order.expiresAtMs,
    resultStored: order.resultState !== 'none',
    retentionDays: order.retentionDays,
  };
}
