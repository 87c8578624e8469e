/**
 * Answers for a moment a request that is sent again after an attempt failed from the order that it has. Many clients retry
 * a 502 whatever its headers say, and each retry is an order whose four attempts fail again. Off unless the operator sets
 * it; each gateway remembers what failed there.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import type { Fault } from '#base/fault.ts';
import type { Ticket } from '#orders/order-port.ts';
import type { InferenceRequest } from '#orders/request.ts';

/** Requests that are remembered; the oldest is forgotten first. */
const REMEMBERED_MAX = 10_000;

/** Marks an answer that belongs to an earlier request. */
export const REPLAYED = { 'idempotent-replayed': 'true' };

/** An order with a failed attempt: it waits or runs again while `fault` is null. */
interface Failed {
  readonly ticket: Ticket;
  readonly fault: Fault | null;
  readonly untilMs: number;
}

/** How a request is answered. */
interface Repeat {
  /** The order of the same request, which this one joined; null when it needs an order of its own. */
  readonly joined: Ticket | null;
  /** Follows the order of this request to its end. */
  readonly follow: (ticket: Ticket) => void;
}

/** The requests with a failed attempt within the last `windowMs`. */
export class FailedRepeats {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #windowMs: number;
  readonly #failed = new Map<string, Failed>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, windowMs: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /**
   * Throws the fault of the same request of the same API key, if its order failed within the window, and joins an order
   * with an attempt that did. Only how the answer is delivered may differ, and requests with other Idempotency-Keys are
   * others. A stream never joins an order that can be followed: the keepalives of such an order have numbers, and the
   * joined stream would count differently.
   */
  begin(apiKeyId: string, request: InferenceRequest): Repeat {
    const nowMs = this.#clock.monotonicMs();
    for (const [old, { untilMs }] of this.#failed) {
      if (untilMs > nowMs && this.#failed.size < REMEMBERED_MAX) break;
      this.#failed.delete(old);
    }
    const fingerprint = fingerprintOf(apiKeyId, request);
    const { ticket, fault } = this.#failed.get(fingerprint) ?? {};
    if (fault) throw fault.withHeaders(REPLAYED);
    const mayJoin = ticket && !(request.stream && ticket.followable);
    return {
      joined: mayJoin && ticket.join() ? ticket : null,
      follow: (own) => this.#follow(fingerprint, own),
    };
  }

  #follow(fingerprint: string, ticket: Ticket): void {
    const note = (fault: Fault | null) => {
      this.#failed.delete(fingerprint);
      this.#failed.set(fingerprint, { ticket, fault, untilMs: this.#clock.monotonicMs() + this.#windowMs });
    };
    ticket.watch({
      events() {},
      retried: () => note(null),
      ended: (end) => {
        if (end.status === 'error' && end.fault.code === 'backend_error') note(end.fault.withOrder(ticket.orderId));
        else if (this.#failed.get(fingerprint)?.ticket === ticket) this.#failed.delete(fingerprint);
      },
    });
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
