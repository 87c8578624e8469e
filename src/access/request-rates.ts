/**
 * Counts each request in the bucket of its class, after its key is known and before its body is read, so that a refused
 * request costs only its headers; a caller without a key is counted by its address. The counts are kept in this process.
 */
import { isIPv6 } from 'node:net';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { bareAddress } from './addresses.ts';
import { type LimitSettings, requestsPerMinute } from './limits.ts';
import type { Principal } from './principal.ts';

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

/**
 * The subject under which an address is counted. A subscriber usually has a whole IPv6 /64, so counting single
 * addresses would limit nobody. An IPv4 address mapped into IPv6 counts as the IPv4 address.
 */
export function addressSubject(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const bare = bareAddress(address) ?? address;
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(bare)?.[1];
  if (mapped) return mapped;
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

/** The buckets by what is counted. */
const RATES = {
  /** Reading the document, by address. */
  document: { tokens: 60, perMs: MINUTE_MS },
  /** Requests without a session, by address: each costs a look-up. */
  stranger: { tokens: 120, perMs: MINUTE_MS },
  /** Attempts to sign in, by address. */
  'sign-in': { tokens: 30, perMs: 15 * MINUTE_MS },
  /** Attempts with a password: by address and e-mail, or by a browser that the member has used, or by member. */
  password: { tokens: 10, perMs: 15 * MINUTE_MS },
  /** Attempts with a password from browsers that the member has not used, by e-mail. */
  email: { tokens: 100, perMs: HOUR_MS },
  /** Events of a payment provider, by address. It repeats those that were refused. */
  webhook: { tokens: 600, perMs: MINUTE_MS },
  /** Requests of a member. */
  member: { tokens: 240, perMs: MINUTE_MS },
} as const;

/**
 * How often members and strangers may ask. Signing in is counted by address, and a password by e-mail, too, so that neither
 * many addresses on one member nor one address on many get far. A browser that a member has used is counted apart, so that
 * nobody can lock its owner out of it. Each gateway of several allows as much, and a restart forgets.
 */
export class ConsoleRates {
  readonly #buckets: Readonly<Record<keyof typeof RATES, TokenBuckets>>;

  constructor(clock: Clock) {
    const bucketsOf = (name: keyof typeof RATES) => new TokenBuckets(RATES[name], clock);
    this.#buckets = {
      document: bucketsOf('document'),
      stranger: bucketsOf('stranger'),
      'sign-in': bucketsOf('sign-in'),
      password: bucketsOf('password'),
      email: bucketsOf('email'),
      webhook: bucketsOf('webhook'),
      member: bucketsOf('member'),
    };
  }

  /** Counts one. Throws rate_limit_error with the time until the next is allowed. */
  count(what: keyof typeof RATES, subject: string): void {
    const waitMs = this.#buckets[what].take(subject);
    if (waitMs > 0) throw new Fault('rate_limit_error', { retryAfterS: Math.ceil(waitMs / 1000) });
  }
}

/** The size of each bucket, and the time an empty one takes to fill: whole numbers above 0. */
interface BucketRate {
  readonly tokens: number;
  readonly perMs: number;
}

/** Above this many subjects full buckets are dropped; if that is not enough, also the least recently used. */
const SUBJECTS_MAX = 100_000;

/**
 * The buckets of one rate, one per subject. Each starts full and refills continuously; only when it will be full again is
 * stored, and a full one needs no memory. They count time in parts of a millisecond, as many as a bucket has tokens, and from when they
 * were made, so that every sum is a whole number and no rounding costs a token: `perMs` parts refill one.
 */
export class TokenBuckets {
  readonly #rate: BucketRate;
  /** The number of parts after which an empty bucket is full. */
  readonly #capacity: number;
  readonly #clock: Clock;
  readonly #madeMs: number;
  readonly #subjectsMax: number;
  /** When each bucket that is not full will be; the most recently used is last. */
  readonly #fullAt = new Map<string, number>();

  constructor(rate: BucketRate, clock: Clock, subjectsMax = SUBJECTS_MAX) {
    this.#rate = rate;
    this.#capacity = rate.perMs * rate.tokens;
    this.#clock = clock;
    this.#madeMs = clock.monotonicMs();
    this.#subjectsMax = subjectsMax;
  }

  /** Takes a token and returns 0, or takes none and returns the milliseconds until there is one. */
  take(subject: string): number {
    const { tokens, perMs } = this.#rate;
    const now = (this.#clock.monotonicMs() - this.#madeMs) * tokens;
    const nextFullAt = Math.max(now, this.#whenFull(subject, now)) + perMs;
    const wait = nextFullAt - now - this.#capacity;
    if (wait > 0) return wait / tokens;
    this.#fullAt.delete(subject);
    this.#fullAt.set(subject, nextFullAt);
    if (this.#fullAt.size > this.#subjectsMax) this.#evict(now);
    return 0;
  }

  /** Takes up to `wanted` tokens. `waitMs` is the time until the next token if there is none, else 0. */
  takeUpTo(subject: string, wanted: number): { readonly granted: number; readonly waitMs: number } {
    for (let granted = 0; granted < wanted; granted++) {
      const waitMs = this.take(subject);
      if (waitMs > 0) return { granted, waitMs: granted > 0 ? 0 : waitMs };
    }
    return { granted: wanted, waitMs: 0 };
  }

  /** The number of buckets in memory. */
  get size(): number {
    return this.#fullAt.size;
  }

  /** A clock that was set back must not keep a bucket empty for the difference. */
  #whenFull(subject: string, now: number): number {
    const fullAt = this.#fullAt.get(subject) ?? now;
    const latest = now + this.#capacity;
    if (fullAt <= latest) return fullAt;
    this.#fullAt.set(subject, latest);
    return latest;
  }

  #evict(now: number): void {
    for (const [subject, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(subject);
    if (this.#fullAt.size <= this.#subjectsMax) return;
    // Drops half of them at once; otherwise, in a flood of new subjects, each one would scan the map.
    for (const subject of this.#fullAt.keys()) {
      if (this.#fullAt.size <= this.#subjectsMax / 2) return;
      this.#fullAt.delete(subject);
    }
  }
}
