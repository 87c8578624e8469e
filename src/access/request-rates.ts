/**
 * Counts each request in the bucket of its class, after its key is known and before its body is read, so that a refused
 * request costs only its headers. The counts are kept in this process.
 */

import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { MINUTE_MS } from '#base/time.ts';
import { type LimitSettings, requestsPerMinute } from './limits.ts';
import type { Principal } from './principal.ts';
import { TokenBuckets } from './token-bucket.ts';

/**
 * The class of a request; the values of `x-limit-class` in openapi.yaml. Opening a market stream counts as a public
 * request. `free` is not counted.
 */
export type RateClass = 'inference' | 'batch' | 'account' | 'file' | 'public' | 'stream' | 'partner' | 'free';

/** The caller: the principal of an authenticated operation, else null, and the address subject. */
export interface Caller {
  readonly principal: Principal | null;
  readonly address: string;
}

/** A class that is counted. */
export type CountedClass = Exclude<RateClass, 'free'>;

type Buckets = Readonly<Record<CountedClass, TokenBuckets>>;

/** The request rates of Spec 8. */
export class RequestRates {
  readonly #limits: LimitSettings;
  readonly #clock: Clock;
  #perMinute: ReturnType<typeof requestsPerMinute>;
  #buckets: Buckets;

  constructor(limits: LimitSettings, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#perMinute = requestsPerMinute(limits);
    this.#buckets = this.#made(null);
  }

  /** Reads the limits again. The callers of a class whose rate is another begin with a full bucket. */
  renew(): void {
    const before = { perMinute: this.#perMinute, buckets: this.#buckets };
    this.#perMinute = requestsPerMinute(this.#limits);
    this.#buckets = this.#made(before);
  }

  /** Counts one request. Throws rate_limit_error with the whole seconds until the next is accepted. */
  count(rateClass: RateClass, caller: Caller): void {
    if (rateClass === 'free') return;
    const waitMs = this.#buckets[rateClass].take(subjectOf(rateClass, caller));
    if (waitMs > 0) throw tooManyRequests(waitMs);
  }

  /** Takes up to `wanted` requests from a bucket at once, for another gateway. */
  takeUpTo(rateClass: CountedClass, subject: string, wanted: number): ReturnType<TokenBuckets['takeUpTo']> {
    return this.#buckets[rateClass].takeUpTo(subject, wanted);
  }

  #made(
    before: { readonly perMinute: ReturnType<typeof requestsPerMinute>; readonly buckets: Buckets } | null,
  ): Buckets {
    const bucketsOf = (rateClass: CountedClass) => {
      const tokens = this.#perMinute[rateClass];
      if (before?.perMinute[rateClass] === tokens) return before.buckets[rateClass];
      return new TokenBuckets({ tokens, perMs: MINUTE_MS }, this.#clock);
    };
    const openToAll = bucketsOf('public');
    return {
      inference: bucketsOf('inference'),
      batch: bucketsOf('batch'),
      account: bucketsOf('account'),
      file: bucketsOf('file'),
      public: openToAll,
      stream: openToAll,
      partner: bucketsOf('partner'),
    };
  }
}

/** The fault of a caller who may send the next request in `waitMs`. */
export function tooManyRequests(waitMs: number): Fault {
  return new Fault('rate_limit_error', { retryAfterS: Math.ceil(waitMs / 1000) });
}

/** Whose bucket counts a request. */
export function subjectOf(rateClass: CountedClass, { principal, address }: Caller): string {
  if (!principal) return address;
  return rateClass === 'inference' ? principal.key.id : principal.account.id;
}
