/**
 * Request rates where several gateways serve the same callers. The bucket of each caller is at one of them, its home;
 * the others take requests from it in advance, so that few requests wait for another gateway. That costs exactness: what
 * one gateway took in advance is missing at the others, or used up to a minute after it was counted. It is at most a
 * tenth of the bucket for each gateway, and at most twice of what was used before. While the home cannot be reached, a
 * gateway grants its share of the limit alone; a caller whose home changes begins with a full bucket.
 */
import type { Clock } from '#base/clock.ts';
import { MINUTE_MS } from '#base/time.ts';
import { type LimitSettings, requestsPerMinute } from './limits.ts';
import {
  type Caller,
  type CountedClass,
  type RateClass,
  RequestRates,
  subjectOf,
  tooManyRequests,
} from './request-rates.ts';

/** At most this share of a bucket is taken in advance. */
const ADVANCE_SHARE = 0.1;
/** How long a home that did not answer is not asked again. */
const DOWN_MS = 1_000;
/**
 * The most callers remembered. The least recently used callers are forgotten, with the requests taken in advance for
 * them.
 */
const CALLERS_MAX = 100_000;

/** Requests taken from a bucket. */
export type Grant = ReturnType<RequestRates['takeUpTo']>;

/** What is asked of a home. */
export interface Taking {
  readonly rateClass: CountedClass;
  readonly subject: string;
  readonly wanted: number;
}

/** Where buckets are. */
export interface BucketHomes {
  /** The gateway that has the bucket; null: this one. */
  homeOf(key: string): number | null;
  /** How many gateways serve. */
  readonly gateways: number;
  /** Takes requests at another gateway. Rejects when it cannot be reached in time. */
  take(home: number, taking: Taking): Promise<Grant>;
}

/** What was taken in advance for one caller. */
interface Advance {
  left: number;
  size: number;
  untilMs: number;
  asking: Promise<Grant> | null;
}

/** Counts requests together with the other gateways. */
export class SharedRates {
  readonly #limits: LimitSettings;
  #perMinute: ReturnType<typeof requestsPerMinute>;
  readonly #clock: Clock;
  readonly #homes: BucketHomes;
  readonly #own: RequestRates;
  /** The share of this gateway, while homes cannot be reached. */
  #alone: { readonly gateways: number; readonly rates: RequestRates } | null = null;
  readonly #advances = new Map<string, Advance>();
  readonly #downUntilMs = new Map<number, number>();

  constructor({ limits, clock, homes }: { limits: LimitSettings; clock: Clock; homes: BucketHomes }) {
    this.#limits = limits;
    this.#perMinute = requestsPerMinute(limits);
    this.#clock = clock;
    this.#homes = homes;
    this.#own = new RequestRates(limits, clock);
  }

  /** Reads the limits again, as `RequestRates.renew` does. */
  renew(): void {
    this.#perMinute = requestsPerMinute(this.#limits);
    this.#own.renew();
    this.#alone = null;
  }

  /** Counts one request, as `RequestRates.count` does; a promise when another gateway has to be asked. */
  count(rateClass: RateClass, caller: Caller): undefined | Promise<void> {
    if (rateClass === 'free') return;
    const subject = subjectOf(rateClass, caller);
    const key = `${rateClass === 'stream' ? 'public' : rateClass} ${subject}`;
    const home = this.#homes.homeOf(key);
    if (home === null) {
      this.#own.count(rateClass, caller);
      return;
    }
    const advance = this.#advanceOf(key);
    if (this.#use(advance)) return;
    if (this.#isDown(home)) {
      this.#countAlone(rateClass, caller);
      return;
    }
    return this.#await(advance, home, { rateClass, subject, caller });
  }

  /** Takes requests for another gateway from a bucket whose home this is. */
  serve({ rateClass, subject, wanted }: Taking): Grant {
    return this.#own.takeUpTo(rateClass, subject, wanted);
  }

  /** Many requests may wait for one answer, and ask again when it was not enough for all of them. */
  async #await(
    advance: Advance,
    home: number,
    { rateClass, subject, caller }: { rateClass: CountedClass; subject: string; caller: Caller },
  ): Promise<void> {
    do {
      let grant: Grant;
      try {
        advance.asking ??= this.#ask(advance, home, { rateClass, subject });
        grant = await advance.asking;
      } catch {
        this.#downUntilMs.set(home, this.#clock.monotonicMs() + DOWN_MS);
        this.#countAlone(rateClass, caller);
        return;
      }
      if (grant.granted === 0) throw tooManyRequests(grant.waitMs);
    } while (!this.#use(advance));
  }

  async #ask(advance: Advance, home: number, asked: Omit<Taking, 'wanted'>): Promise<Grant> {
    const perMinute = this.#perMinute[asked.rateClass];
    const most = Math.max(1, Math.floor(perMinute * ADVANCE_SHARE));
    const inTime = this.#clock.monotonicMs() <= advance.untilMs;
    const wanted = Math.min(most, Math.max(1, inTime ? advance.size * 2 : advance.size - advance.left));
    try {
      const grant = await this.#homes.take(home, { ...asked, wanted });
      advance.size = grant.granted;
      advance.left = grant.granted;
      advance.untilMs = this.#clock.monotonicMs() + MINUTE_MS;
      return grant;
    } finally {
      advance.asking = null;
    }
  }

  /** Requests taken in advance are given up when their bucket would be full again. */
  #use(advance: Advance): boolean {
    if (advance.left === 0 || this.#clock.monotonicMs() > advance.untilMs) return false;
    advance.left--;
    return true;
  }

  #isDown(home: number): boolean {
    const untilMs = this.#downUntilMs.get(home) ?? 0;
    if (this.#clock.monotonicMs() < untilMs) return true;
    this.#downUntilMs.delete(home);
    return false;
  }

  #countAlone(rateClass: CountedClass, caller: Caller): void {
    const gateways = Math.max(1, this.#homes.gateways);
    if (this.#alone?.gateways !== gateways)
      this.#alone = { gateways, rates: new RequestRates(shareOf(this.#limits, gateways), this.#clock) };
    this.#alone.rates.count(rateClass, caller);
  }

  #advanceOf(key: string): Advance {
    const known = this.#advances.get(key);
    if (known) this.#advances.delete(key);
    const advance = known ?? { left: 0, size: 0, untilMs: 0, asking: null };
    this.#advances.set(key, advance);
    const [oldest] = this.#advances.keys();
    if (this.#advances.size > CALLERS_MAX && oldest !== undefined) this.#advances.delete(oldest);
    return advance;
  }
}

/** At least one request: with a limit of 0 every caller would be refused. */
function shareOf(limits: LimitSettings, gateways: number): LimitSettings {
  const share = (limit: number) => Math.max(1, Math.floor(limit / gateways));
  return Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [name, share(limit)]),
  ) as unknown as LimitSettings;
}
