/**
 * Counts each request against the bucket of its class, after the key is known and before the body is read, so that a
 * refused request costs nothing but its head. The counts live in this process.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { LimitSettings } from './limits.ts';
import type { Principal } from './principal.ts';
import { TokenBuckets } from './token-bucket.ts';

/**
 * What a request counts as; the values of `x-limit-class` in openapi.yaml. Opening a market stream counts as a public
 * request. `free` counts nowhere.
 */
export type RateClass = 'inference' | 'batch' | 'account' | 'file' | 'public' | 'stream' | 'partner' | 'free';

/** Who is calling: the principal of a keyed operation, else null; and the address subject. */
export interface Caller {
  readonly principal: Principal | null;
  readonly address: string;
}

const MINUTE_MS = 60_000;

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

  /** Counts one request. Throws rate_limit_error with the whole seconds until the next is taken. */
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
