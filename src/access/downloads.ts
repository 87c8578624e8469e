/**
 * The download allowance: bytes an account may fetch in an hour, over results, files and request logs together. It starts
 * full and refills continuously, and one download may finish past the line. What was used is durable before the download
 * goes out, because a restart must not hand out a second allowance. Spec 8.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { DownloadStore, DownloadsUsed } from './ports.ts';

const HOUR_MS = 3_600_000;
/** Accounts that are remembered; the ones longest untouched are read again when they come back. */
const REMEMBERED_MAX = 10_000;

/** What the allowance is made of. */
export interface DownloadsParts {
  readonly store: DownloadStore;
  readonly clock: Clock;
  readonly bytesPerHour: number;
}

/** The allowance of every account. */
export class Downloads {
  readonly #store: DownloadStore;
  readonly #clock: Clock;
  readonly #bytesPerMs: number;
  readonly #bytesMax: number;
  readonly #used = new Map<string, DownloadsUsed>();

  constructor({ store, clock, bytesPerHour }: DownloadsParts) {
    this.#store = store;
    this.#clock = clock;
    this.#bytesMax = bytesPerHour;
    this.#bytesPerMs = bytesPerHour / HOUR_MS;
  }

  /**
   * Counts a download of `bytes`. Throws rate_limit_error with the whole seconds until the next one may start when
   * nothing of the allowance is left. Resolves when what was used is durable.
   */
  async take(accountId: string, bytes: number): Promise<void> {
    if (!this.#used.has(accountId)) await this.#load(accountId);
    const atMs = this.#clock.nowMs();
    const before = this.#usedAt(accountId, atMs);
    if (before >= this.#bytesMax) throw this.#spent(before);
    const used = { usedBytes: before + bytes, atMs };
    this.#remember(accountId, used);
    await this.#store.save(accountId, used);
  }

  /** Of two first downloads at once the later one must not forget what the earlier one took. */
  async #load(accountId: string): Promise<void> {
    const stored = await this.#store.load(accountId);
    if (!this.#used.has(accountId)) this.#remember(accountId, stored ?? { usedBytes: 0, atMs: 0 });
  }

  /** Whole bytes, rounded up; a clock that was set back refills nothing. */
  #usedAt(accountId: string, nowMs: number): number {
    const { usedBytes, atMs } = this.#used.get(accountId) ?? { usedBytes: 0, atMs: 0 };
    const refilled = Math.max(0, nowMs - atMs) * this.#bytesPerMs;
    return Math.max(0, Math.ceil(usedBytes - refilled));
  }

  #spent(used: number): Fault {
    const waitMs = (used - this.#bytesMax + 1) / this.#bytesPerMs;
    return new Fault('rate_limit_error', {
      retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)),
      message: 'This account has used up its downloads of this hour. Retry-After says when to try again.',
    });
  }

  #remember(accountId: string, used: DownloadsUsed): void {
    this.#used.delete(accountId);
    this.#used.set(accountId, used);
    const [oldest] = this.#used.keys();
    if (this.#used.size > REMEMBERED_MAX && oldest !== undefined) this.#used.delete(oldest);
  }
}
