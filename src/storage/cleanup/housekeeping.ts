/**
 * Housekeeping: deletes expired rows every hour, which are old statistics and prices, deleted files, logged requests
 * and Idempotency-Keys. One sweep after the other, each in steps that hold the database only for a moment. Expired
 * results and files are deleted every minute, in `results/cleanup.ts`.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { every } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Database } from '../database/database.ts';
import { sweepFileRows } from '../files/store.ts';
import { sweepRequestLogs } from '../orders/request-logs.ts';
import { sweepKeys } from '../records/idempotency.ts';
import { sweepMarket } from './sweep-market.ts';
import { sweepStatistics } from './sweep-statistics.ts';
import { sweepWebhooks } from './sweep-webhooks.ts';

const SWEEP_MS = 3_600_000;

const SWEEPS = {
  statistics: sweepStatistics,
  prices: sweepMarket,
  files: sweepFileRows,
  requests: sweepRequestLogs,
  keys: sweepKeys,
  webhooks: sweepWebhooks,
} as const;

/** What housekeeping is built from. */
export interface HousekeepingOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this gateway does it now: of several, one does. Always when absent. */
  readonly mayRun?: (() => boolean) | undefined;
}

/** Sweeps every hour until it is closed. */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  readonly #timer: Timer;
  #sweeping: Promise<void> | null = null;
  #closed = false;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
    this.#timer = every(options.clock, SWEEP_MS, () => {
      if (options.mayRun?.() === false) return;
      this.#sweeping ??= this.#sweep().finally(() => {
        this.#sweeping = null;
      });
    });
  }

  /** Resolves when the sweep under way is done, at once when none is. */
  async idle(): Promise<void> {
    await this.#sweeping;
  }

  /** Begins no other sweep. Resolves when the one under way is done: nobody may use a database that closes. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer.cancel();
    await this.idle();
  }

  async #sweep(): Promise<void> {
    const { db, clock, log } = this.#options;
    for (const [what, sweep] of Object.entries(SWEEPS)) {
      if (this.#closed) return;
      try {
        await sweep(db, clock.nowMs());
      } catch (error) {
        log.error({ err: error }, `Old ${what} could not be deleted; trying later.`);
      }
    }
  }
}
