/**
 * The download allowance: bytes an account may download per hour, over results, files and request logs together. It
 * starts full and refills continuously, and one download may exceed it. Usage is stored before a download is sent,
 * because a restart must not grant a second allowance. Spec 8.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { HOUR_MS } from '#base/time.ts';

/** The most accounts kept in memory. The least recently used are dropped, and loaded again when they return. */
const REMEMBERED_MAX = 10_000;

/** How much of an account's download allowance was used at a point in time. */
export interface DownloadsUsed {
  readonly usedBytes: number;
  readonly atMs: number;
}

/** Keeps the download allowance across restarts, so that a restart does not grant a second one. */
export interface DownloadStore {
  /** The value saved last; null for an account that never downloaded. */
  load(accountId: string): Promise<DownloadsUsed | null>;
  /** Resolves when it is durable. */
  save(accountId: string, used: DownloadsUsed): Promise<void>;
}

/** What the allowance needs. */
export interface DownloadsOptions {
  readonly store: DownloadStore;
  readonly clock: Clock;
  /** Asked again for each download. */
  readonly bytesPerHour: () => number;
  /** Whether other gateways count the same accounts: then the stored count is read before each download. */
  readonly shared?: boolean;
  readonly log: Log;
}

/** The call of somebody who downloads. */
export interface Download {
  readonly headersOnly: boolean;
  /** Calls `run` once the reply has ended, with how many bytes of it were sent. */
  onSent(run: (bytes: number) => void): void;
}

/** The allowance of every account. */
export class Downloads {
  readonly #store: DownloadStore;
  readonly #clock: Clock;
  readonly #bytesPerHour: () => number;
  readonly #shared: boolean;
  readonly #log: Log;
  readonly #used = new Map<string, DownloadsUsed>();

  constructor({ store, clock, bytesPerHour, shared = false, log }: DownloadsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#bytesPerHour = bytesPerHour;
    this.#shared = shared;
    this.#log = log;
  }

  /**
   * Counts a reply of `bytes`, unless the call asks for its headers only, and gives back what was not sent when it ends early
   * or becomes a refusal. If the allowance is used up, throws rate_limit_error with the whole seconds until the next download
   * may start. Resolves when the usage is durable.
   */
  async begin(call: Download, accountId: string, bytes: number): Promise<void> {
    if (call.headersOnly) return;
    await this.#take(accountId, bytes);
    call.onSent((sent) => {
      if (sent >= bytes) return;
      this.#giveBack(accountId, bytes - sent).catch((error) => {
        this.#log.warn({ account: accountId, err: error }, 'What was not sent of a reply counts as downloaded.');
      });
    });
  }

  async #take(accountId: string, bytes: number): Promise<void> {
    if (this.#shared || !this.#used.has(accountId)) await this.#load(accountId);
    const atMs = this.#clock.nowMs();
    const before = this.#bytesAt(this.#used.get(accountId), atMs);
    if (before >= this.#bytesPerHour()) throw this.#refusal(before);
    const used = { usedBytes: before + bytes, atMs };
    this.#remember(accountId, used);
    await this.#store.save(accountId, used);
  }

  async #giveBack(accountId: string, bytes: number): Promise<void> {
    if (this.#shared || !this.#used.has(accountId)) await this.#load(accountId);
    const atMs = this.#clock.nowMs();
    const used = { usedBytes: Math.max(0, this.#bytesAt(this.#used.get(accountId), atMs) - bytes), atMs };
    this.#remember(accountId, used);
    await this.#store.save(accountId, used);
  }

  /**
   * Downloads that run at once must not overwrite what the other used: the higher figure counts. Two that begin at two
   * gateways in the same moment may still count as one.
   */
  async #load(accountId: string): Promise<void> {
    const stored = (await this.#store.load(accountId)) ?? { usedBytes: 0, atMs: 0 };
    const known = this.#used.get(accountId);
    const nowMs = this.#clock.nowMs();
    if (!known || this.#bytesAt(stored, nowMs) > this.#bytesAt(known, nowMs)) this.#remember(accountId, stored);
  }

  /** Whole bytes, rounded up. A clock that was set back refills nothing. */
  #bytesAt({ usedBytes, atMs }: DownloadsUsed = { usedBytes: 0, atMs: 0 }, nowMs: number): number {
    const refilled = Math.max(0, nowMs - atMs) * (this.#bytesPerHour() / HOUR_MS);
    return Math.max(0, Math.ceil(usedBytes - refilled));
  }

  #refusal(used: number): Fault {
    const bytesMax = this.#bytesPerHour();
    const waitMs = (used - bytesMax + 1) / (bytesMax / HOUR_MS);
    return new Fault('rate_limit_error', {
      retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)),
      message: 'This account has used up its download allowance. Retry-After says when to try again.',
    });
  }

  #remember(accountId: string, used: DownloadsUsed): void {
    this.#used.delete(accountId);
    this.#used.set(accountId, used);
    const [oldest] = this.#used.keys();
    if (this.#used.size > REMEMBERED_MAX && oldest !== undefined) this.#used.delete(oldest);
  }
}
