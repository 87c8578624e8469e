/**
 * Refuses for a moment to run again what has just failed. Many clients retry a 502 whatever its headers say, and each retry
 * is an order whose four attempts fail again. Off unless the operator sets it; each gateway remembers what failed there.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import type { Fault } from '#base/fault.ts';
import type { InferenceRequest } from '#orders/request.ts';

/** Requests that are remembered; the oldest is forgotten first. */
const REMEMBERED_MAX = 10_000;

/** Marks an answer that belongs to an earlier request. */
export const REPLAYED = { 'idempotent-replayed': 'true' };

interface Failed {
  readonly fault: Fault;
  readonly untilMs: number;
}

/** The requests that failed within the last `windowMs`. */
export class FailedRepeats {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #windowMs: number;
  readonly #failed = new Map<string, Failed>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, windowMs: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /**
   * Throws the fault of the same request of the same API key, if it failed within the window. Otherwise returns where the
   * end of the new order is noted. Only how the answer is delivered may differ, and requests with other Idempotency-Keys
   * are others.
   */
  begin(apiKeyId: string, request: InferenceRequest): (fault: Fault) => void {
    const nowMs = this.#clock.monotonicMs();
    for (const [old, { untilMs }] of this.#failed) {
      if (untilMs > nowMs && this.#failed.size < REMEMBERED_MAX) break;
      this.#failed.delete(old);
    }
    const fingerprint = fingerprintOf(apiKeyId, request);
    const failed = this.#failed.get(fingerprint);
    if (failed) throw failed.fault.withHeaders(REPLAYED);
    return (fault) => {
      if (fault.code !== 'backend_error') return;
      this.#failed.delete(fingerprint);
      this.#failed.set(fingerprint, { fault, untilMs: this.#clock.monotonicMs() + this.#windowMs });
    };
  }
}

function fingerprintOf(
  apiKeyId: string,
  { kind, model, outputCap, generation, extensions, askedBy, idempotency }: InferenceRequest,
): string {
  const rest = { apiKeyId, kind, model, outputCap, extensions, askedBy, idempotencyKey: idempotency?.key };
  const hash = createHash('sha256').update(JSON.stringify(rest));
  return hash.update('json' in generation ? generation.json : JSON.stringify(generation.body)).digest('base64');
}
