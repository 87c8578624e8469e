/**
 * Token buckets, one per subject (a key, an account, an address). A bucket starts full and refills continuously. Only
 * the time at which it will be full again is stored. A full bucket needs no memory, so the number of stored buckets is
 * bounded by recent traffic.
 */
import type { Clock } from '#base/clock.ts';

/** The size of each bucket, and the time an empty one takes to fill. */
export interface BucketRate {
  readonly tokens: number;
  readonly perMs: number;
}

/** Above this many subjects full buckets are dropped; if that is not enough, also the least recently used. */
const SUBJECTS_MAX = 100_000;
/** Half a nanosecond: rounding errors in sums of refill times must not cost a token. */
const ROUNDING_MS = 5e-7;

/** The buckets of one rate. */
export class TokenBuckets {
  readonly #capacityMs: number;
  readonly #msPerToken: number;
  readonly #clock: Clock;
  readonly #subjectsMax: number;
  /** When each bucket that is not full will be; the most recently used is last. */
  readonly #fullAtMs = new Map<string, number>();

  constructor(rate: BucketRate, clock: Clock, subjectsMax = SUBJECTS_MAX) {
    this.#capacityMs = rate.perMs;
    this.#msPerToken = rate.perMs / rate.tokens;
    this.#clock = clock;
    this.#subjectsMax = subjectsMax;
  }

  /** Takes a token and returns 0, or takes none and returns the milliseconds until there is one. */
  take(subject: string): number {
    const nowMs = this.#clock.nowMs();
    const nextFullAtMs = Math.max(nowMs, this.#whenFull(subject, nowMs)) + this.#msPerToken;
    const waitMs = nextFullAtMs - nowMs - this.#capacityMs;
    if (waitMs > ROUNDING_MS) return waitMs;
    this.#fullAtMs.delete(subject);
    this.#fullAtMs.set(subject, nextFullAtMs);
    if (this.#fullAtMs.size > this.#subjectsMax) this.#evict(nowMs);
    return 0;
  }

  /** Takes up to `wanted` tokens. `waitMs` is the time until there is one when there is none, else 0. */
  takeUpTo(subject: string, wanted: number): { readonly granted: number; readonly waitMs: number } {
    for (let granted = 0; granted < wanted; granted++) {
      const waitMs = this.take(subject);
      if (waitMs > 0) return { granted, waitMs: granted > 0 ? 0 : waitMs };
    }
    return { granted: wanted, waitMs: 0 };
  }

  /** The number of buckets in memory. */
  get size(): number {
    return this.#fullAtMs.size;
  }

  /** A clock that was set back must not keep a bucket empty for the difference. */
  #whenFull(subject: string, nowMs: number): number {
    const fullAtMs = this.#fullAtMs.get(subject) ?? nowMs;
    const latestMs = nowMs + this.#capacityMs;
    if (fullAtMs <= latestMs + ROUNDING_MS) return fullAtMs;
    this.#fullAtMs.set(subject, latestMs);
    return latestMs;
  }

  #evict(nowMs: number): void {
    for (const [subject, fullAtMs] of this.#fullAtMs) if (fullAtMs <= nowMs) this.#fullAtMs.delete(subject);
    if (this.#fullAtMs.size <= this.#subjectsMax) return;
    // Half at once; otherwise a flood of new subjects would scan the map for each of them.
    for (const subject of this.#fullAtMs.keys()) {
      if (this.#fullAtMs.size <= this.#subjectsMax / 2) return;
      this.#fullAtMs.delete(subject);
    }
  }
}
