/**
 * Counts each request in the bucket of its class, after its key is known and before its body is read, so that a refused
 * request costs only its headers. The counts are kept in this process.
 */

import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { MINUTE_MS } from '#base/time.ts';
import type { LimitSettings } from './limits.ts';
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

/** The request rates of Spec 8. */
export class RequestRates {
  readonly #buckets: Readonly<Record<Exclude<RateClass, 'free'>, TokenBuckets>>;

  constructor(limits: LimitSettings, clock: Clock) {
    const perMinute = (tokens: number) => new TokenBuckets({ tokens, perMs: MINUTE_MS }, clock);
    const openToAll = perMinute(limits.publicRequestsPerMinutePerAddress);
    this.#buckets = {
      inference: perMinute(limits.inferenceRequestsPerMinutePerKey),
      batch: perMinute(limits.batchSubmissionsPerMinutePerAccount),
      account: perMinute(limits.accountOperationsPerMinutePerAccount),
      file: perMinute(limits.fileOperationsPerMinutePerAccount),
      public: openToAll,
      stream: openToAll,
      partner: perMinute(limits.partnerRequestsPerMinutePerAddress),
    };
  }

  /** Counts one request. Throws rate_limit_error with the whole seconds until the next is accepted. */
  count(rateClass: RateClass, caller: Caller): void {
    if (rateClass === 'free') return;
    const waitMs = this.#buckets[rateClass].take(subjectOf(rateClass, caller));
    if (waitMs === 0) return;
    throw new Fault('rate_limit_error', { retryAfterS: Math.ceil(waitMs / 1000) });
  }
}

function subjectOf(rateClass: Exclude<RateClass, 'free'>, { principal, address }: Caller): string {
  if (!principal) return address;
  return rateClass === 'inference' ? principal.key.id : principal.account.id;
}
