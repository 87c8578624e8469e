/**
 * Counts each request in the bucket of its class, after its key is known and before its body is read, so that a refused
 * request costs only its headers; a caller without a key is counted by its address. Also the slots of open streams. The
 * counts are kept in this process.
 */

import { isIPv6 } from 'node:net';
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

/** Counts open streams by address; an address without any takes no memory. */
export class StreamSlots {
  readonly #max: () => number;
  readonly #open = new Map<string, number>();

  /** `max` is asked anew each time. */
  constructor(max: number | (() => number)) {
    this.#max = typeof max === 'number' ? () => max : max;
  }

  /**
   * Takes a slot. Returns the function that releases it; further calls have no effect. Throws rate_limit_error without
   * Retry-After, because nobody knows when the address closes a stream.
   */
  take(address: string): () => void {
    const [open, max] = [this.#open.get(address) ?? 0, this.#max()];
    if (open >= max) {
      throw new Fault('rate_limit_error', {
        message: `This address already has ${max} open market streams. Close one first.`,
      });
    }
    this.#open.set(address, open + 1);
    let held = true;
    return () => {
      if (held) this.#giveBack(address);
      held = false;
    };
  }

  #giveBack(address: string): void {
    const left = (this.#open.get(address) ?? 1) - 1;
    if (left > 0) this.#open.set(address, left);
    else this.#open.delete(address);
  }
}

/**
 * The subject under which an address is counted. A subscriber usually has a whole IPv6 /64, so counting single
 * addresses would limit nobody. An IPv4 address mapped into IPv6 counts as the IPv4 address.
 */
export function addressSubject(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [bare = ''] = address.split('%');
  return isIPv6(bare) ? `${network64(bare)}::/64` : bare;
}

function network64(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    // An IPv4 suffix counts as two groups and never reaches the first four.
    const tailGroups = tail === '' ? [] : tail.split(':');
    const written = groups.length + tailGroups.length + (tail.includes('.') ? 1 : 0);
    groups.push(...Array.from({ length: 8 - written }, () => '0'), ...tailGroups);
  }
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
