/**
 * Idempotency-Key: the same key and request give the same order, never a second one. The key's row commits with the
 * order (`storage/journal/accept.ts` decides between concurrent requests), so one creates the order and the others find it.
 * It holds no payload, so a key also counts where no result will be stored: then the repeat of a charged order is refused.
 * The key and the fingerprint of the request are read in `adapters/common/extensions.ts`. Spec 4.1.
 */
import { hash } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { type Reach, wholeAccount } from '#base/reach.ts';
import { DAY_MS } from '#base/time.ts';
import type { ResultStore } from '#results/ports.ts';
import { decodeResult } from '#results/result.ts';
import type { OrderRow, OrderWithUsage } from './order.ts';
import type { Submission } from './order-port.ts';
import type { OrderStore } from './ports.ts';
import type { Customer, InferenceRequest } from './request.ts';
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
  rowFor(order: OrderRow, request: InferenceRequest, readsOwn: boolean): IdempotencyRow | null {
    const { accountId, keyId, id: orderId, retentionDays } = order;
    if (!request.idempotency) return null;
    const { fingerprint } = request.idempotency;
    const [key = ''] = namesOf({ keyId, readsOwn }, request.idempotency.key);
    const createdAtMs = this.#parts.clock.nowMs();
    const expiresAtMs = order.expiresAtMs + (retentionDays + 1) * DAY_MS;
    return { accountId, endpoint: request.kind, key, orderId, fingerprint, createdAtMs, expiresAtMs };
  }

  /** What a repeat gets from the earlier order with this key; null when a new order may be created. */
  async find(customer: Customer, request: InferenceRequest): Promise<Submission | null> {
    if (!request.idempotency) return null;
    const { accountId, keyId, readsOwn } = customer;
    const names = namesOf(customer, request.idempotency.key);
    const rows = await this.#parts.store.findKeys(accountId, request.kind, names);
    for (const row of names.flatMap((name) => rows.find(({ key }) => key === name) ?? [])) {
      if (row.expiresAtMs <= this.#parts.clock.nowMs()) continue;
      const earlier = await this.answer(row, request, { accountId, keyId: readsOwn ? keyId : null });
      if (earlier) return earlier;
    }
    return null;
  }

  /**
   * What a repeat gets from the order of `row`. Throws idempotency_error for another request, result_pending while it
   * lives or is being stored, result_unavailable when nothing is kept. Null when it ended uncharged: the key is free. An
   * order out of reach is as good as none.
   */
  async answer(
    row: IdempotencyRow,
    request: InferenceRequest,
    reach: Reach = wholeAccount(row.accountId),
  ): Promise<Submission | null> {
    const order = await this.#parts.store.find(reach, row.orderId);
    if (!order) return null;
    const { fingerprint, firstFingerprint } = request.idempotency ?? {};
    if (row.fingerprint !== fingerprint && row.fingerprint !== firstFingerprint) throw new Fault('idempotency_error');
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

/**
 * Under which names an Idempotency-Key may be stored, the one for new orders first. All keys of an account that read all
 * of it share its Idempotency-Keys; a key that reads only its own has names apart, so that it neither gets an answer of
 * another key nor learns that there is one. Both are looked up, because a key may have been the other kind before. No
 * caller can send a name apart: it begins with a space, which HTTP cuts off.
 */
function namesOf({ keyId, readsOwn }: Pick<Customer, 'keyId' | 'readsOwn'>, key: string): readonly string[] {
  if (keyId === null) return [key];
  const apart = ` ${keyId} ${hash('sha256', key, 'base64url')}`;
  return readsOwn ? [apart, key] : [key, apart];
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
