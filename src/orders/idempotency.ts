/**
 * Idempotency-Key: the same key and request give the same order, never a second one. The key's row commits with the
 * order, so of any number of concurrent requests one makes it and the others find it. A key is honoured where a result
 * will be stored; without one there is nothing to give back and the request counts as unkeyed. Spec 4.1.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdempotencyRow } from './journal-port.ts';
import type { OrderRow, OrderWithUsage } from './order.ts';
import type { Submission } from './order-port.ts';
import type { OrderStore, ResultStore } from './ports.ts';
import type { InferenceRequest } from './request.ts';
import { decodeResult } from './results.ts';

const DAY_MS = 86_400_000;

/** Looks keys up and says what a repeat is told. */
export class Idempotency {
  readonly #clock: Clock;
  readonly #store: OrderStore;
  readonly #results: ResultStore;

  constructor(parts: { clock: Clock; store: OrderStore; results: ResultStore }) {
    this.#clock = parts.clock;
    this.#store = parts.store;
    this.#results = parts.results;
  }

  /**
   * The row to commit with a new order; null when the request is unkeyed. It outlives the longest wait; the settlement
   * then makes it live as long as the result.
   */
  rowFor(order: OrderRow, request: InferenceRequest): IdempotencyRow | null {
    const { accountId, id: orderId, retentionDays } = order;
    if (!request.idempotency || retentionDays === 0) return null;
    const { key, fingerprint } = request.idempotency;
    const createdAtMs = this.#clock.nowMs();
    const expiresAtMs = order.expiresAtMs + (retentionDays + 1) * DAY_MS;
    return { accountId, endpoint: request.kind, key, orderId, fingerprint, createdAtMs, expiresAtMs };
  }

  /** What an earlier order with this key gives; null when there is none and a new order may be made. */
  async find(accountId: string, request: InferenceRequest): Promise<Submission | null> {
    if (!request.idempotency) return null;
    const row = await this.#store.findKey(accountId, request.kind, request.idempotency.key);
    if (!row || row.expiresAtMs <= this.#clock.nowMs()) return null;
    return this.answer(row, request);
  }

  /**
   * What the order behind `row` gives a repeat. Throws idempotency_error for another request, result_pending while it
   * lives or is being stored, result_unavailable when nothing is kept. Null when it ended uncharged, which frees the key.
   */
  async answer(row: IdempotencyRow, request: InferenceRequest): Promise<Submission | null> {
    if (row.fingerprint !== request.idempotency?.fingerprint) throw new Fault('idempotency_error');
    const order = await this.#store.find(row.accountId, row.orderId);
    if (!order) return null;
    if (order.status === 'error' || order.status === 'canceled' || order.status === 'expired') return null;
    if (order.detached) return { type: 'accepted-before', order: acceptedOrder(order) };
    if (order.status !== 'done' || order.resultState === 'promised') {
      throw new Fault('result_pending', { retryAfterS: 1, orderId: order.id });
    }
    const body = order.resultState === 'stored' ? await this.#results.get(order.id) : null;
    if (!body) throw new Fault('result_unavailable', { orderId: order.id });
    return { type: 'replay', result: decodeResult(body) };
  }
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
