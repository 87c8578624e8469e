/**
 * Token buckets, one per subject (a key, an account, an address). A bucket starts full and refills continuously. Only
 * the time at which it will be full again is stored. A full bucket needs no memory, so the number of stored buckets is
 * bounded by recent traffic.
 */
import type { Clock } from '#base/clock.ts';

/** The size of each bucket, and the time an empty one takes to fill: whole numbers above 0. */
export interface BucketRate {
  readonly tokens: number;
  readonly perMs: number;
}

/** Above this many subjects full buckets are dropped; if that is not enough, also the least recently used. */
const SUBJECTS_MAX = 100_000;

/**
 * The buckets of one rate. They count time in parts of a millisecond, as many as a bucket has tokens, and from when they
 * were made, so that every sum is a whole number and no rounding costs a token: `perMs` parts refill one.
 */
export class TokenBuckets {
  readonly #rate: BucketRate;
  /** The parts in which an empty bucket fills. */
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
    // Half at once; otherwise a flood of new subjects would scan the map for each of them.
    for (const subject of this.#fullAt.keys()) {
      if (this.#fullAt.size <= this.#subjectsMax / 2) return;
      this.#fullAt.delete(subject);
    }
  }
}
