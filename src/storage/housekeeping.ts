/**
 * Deletes, every hour, the rows that are past their time: old statistics and prices, forgotten files, kept requests. One
 * sweep after the other, each in steps that hold the database for a moment only.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { every } from '#base/every.ts';
import type { Log } from '#base/log.ts';
import type { Database } from './database.ts';
import { sweepFileRows } from './files.ts';
import { sweepRequestLogs } from './request-logs.ts';
import { sweepMarket } from './sweep-market.ts';
import { sweepStatistics } from './sweep-statistics.ts';

const SWEEP_MS = 3_600_000;

const SWEEPS = {
  statistics: sweepStatistics,
  prices: sweepMarket,
  files: sweepFileRows,
  requests: sweepRequestLogs,
} as const;

/** What housekeeping needs. */
export interface HousekeepingParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sweeps until it is closed. */
export class Housekeeping {
  readonly #parts: HousekeepingParts;
  readonly #timer: Timer;
  #sweeping: Promise<void> | null = null;
  #closed = false;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
    this.#timer = every(parts.clock, SWEEP_MS, () => {
      this.#sweeping ??= this.#sweep().finally(() => {
        this.#sweeping = null;
      });
    });
  }

  /** Begins no other sweep. Resolves when the one under way is done: nobody may ask a database that closes. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer.cancel();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { db, clock, log } = this.#parts;
    for (const [what, sweep] of Object.entries(SWEEPS)) {
      if (this.#closed) return;
      try {
        await sweep(db, clock.nowMs());
      } catch (error) {
        log.error({ err: error }, `Old ${what} could not be swept.`);
      }
    }
  }
}
