/**
 * Housekeeping: deletes expired rows every hour, which are old statistics and prices, deleted files, logged requests
 * and Idempotency-Keys. One sweep after the other, each in steps that hold the database only for a moment. Expired
 * results and files are deleted every minute, in `results/cleanup.ts`.
 */
import { type Clock, RepeatedWork } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { HOUR_MS } from '#base/time.ts';
import type { Database } from '../database/database.ts';
import {
  sweepFileRows,
  sweepKeys,
  sweepMailRequests,
  sweepOperations,
  sweepRequestLogs,
  sweepStatistics,
  sweepWebhooks,
} from './sweep-expired.ts';
import { sweepMarket } from './sweep-market.ts';

const SWEEPS = {
  statistics: sweepStatistics,
  prices: sweepMarket,
  files: sweepFileRows,
  requests: sweepRequestLogs,
  keys: sweepKeys,
  webhooks: sweepWebhooks,
  mails: sweepMailRequests,
  operations: sweepOperations,
} as const;

/** What housekeeping is built from. */
export interface HousekeepingOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this gateway does the work now: only one gateway of a cluster does it. Always true when absent. */
  readonly mayRun?: (() => boolean) | undefined;
}

/** Sweeps every hour until it is closed. */
export class Housekeeping extends RepeatedWork {
  readonly #options: HousekeepingOptions;
  #closed = false;

  constructor(options: HousekeepingOptions) {
    super(options.clock, HOUR_MS, () => this.#sweep());
    this.#options = options;
  }

  /** Begins no other sweep. Resolves when the present sweep is done: the database may then be closed. */
  override close(): Promise<void> {
    this.#closed = true;
    return super.close();
  }

  async #sweep(): Promise<void> {
    const { db, clock, log, mayRun } = this.#options;
    if (mayRun?.() === false) return;
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
