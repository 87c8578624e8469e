/**
 * What only the database knows: the money of all accounts and the last audit. Read at most once a minute, and never
 * waited for long.
 */
import { type Clock, within } from '#base/clock.ts';
import { MINUTE_MS } from '#base/time.ts';
import type { LastAudit, MoneyTotals } from '../ports.ts';

/** What is read. */
export interface SlowFacts {
  readonly money: MoneyTotals;
  /** Null before the first audit has come to its end. */
  readonly audit: LastAudit | null;
  /** Endpoints that were given up. */
  readonly webhooksDisabled: number;
}

/** A scrape waits no longer: the database may be silent, and the other metrics tell of it. */
const PATIENCE_MS = 1_000;

/** Reads it for scrapes. */
export class SlowReader {
  readonly #facts: () => Promise<SlowFacts>;
  readonly #clock: Clock;
  #read: { readonly facts: SlowFacts; readonly atMs: number } | null = null;
  #reading: Promise<void> | null = null;

  /** `facts` reads it now; it may reject. */
  constructor(facts: () => Promise<SlowFacts>, clock: Clock) {
    this.#facts = facts;
    this.#clock = clock;
  }

  /** What was read in the last minute; null when the database does not answer. Never rejects. */
  async current(): Promise<SlowFacts | null> {
    if (!this.#isFresh) {
      this.#reading ??= this.#readAll().finally(() => {
        this.#reading = null;
      });
      await within(this.#clock, PATIENCE_MS, this.#reading);
    }
    return this.#isFresh ? (this.#read?.facts ?? null) : null;
  }

  get #isFresh(): boolean {
    return this.#read !== null && this.#clock.nowMs() - this.#read.atMs < MINUTE_MS;
  }

  async #readAll(): Promise<void> {
    try {
      const facts = await this.#facts();
      this.#read = { facts, atMs: this.#clock.nowMs() };
    } catch {
      // Whoever needs the database says so in the log; here these series are missing.
    }
  }
}
