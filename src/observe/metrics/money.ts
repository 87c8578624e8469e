/** The money of all accounts, which only the database knows: read at most once a minute, and never waited for long. */
import type { Clock } from '#base/clock.ts';
import { MINUTE_MS } from '#base/time.ts';
import type { MoneyStore, MoneyTotals } from '../ports.ts';

export type { MoneyTotals };

/** A scrape waits no longer: the database may be silent, and the other metrics tell of it. */
const PATIENCE_MS = 1_000;

/** Reads the totals for scrapes. */
export class MoneyReader {
  readonly #store: MoneyStore;
  readonly #clock: Clock;
  #read: { readonly totals: MoneyTotals; readonly atMs: number } | null = null;
  #reading: Promise<void> | null = null;

  constructor(store: MoneyStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The totals of the last minute; null when the database does not answer. Never rejects. */
  async current(): Promise<MoneyTotals | null> {
    if (!this.#isFresh) {
      this.#reading ??= this.#readAll().finally(() => {
        this.#reading = null;
      });
      await this.#inTime(this.#reading);
    }
    return this.#isFresh ? (this.#read?.totals ?? null) : null;
  }

  get #isFresh(): boolean {
    return this.#read !== null && this.#clock.nowMs() - this.#read.atMs < MINUTE_MS;
  }

  async #readAll(): Promise<void> {
    try {
      const totals = await this.#store.totals();
      this.#read = { totals, atMs: this.#clock.nowMs() };
    } catch {
      // Whoever needs the database says so in the log; here the two series are missing.
    }
  }

  #inTime(reading: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const late = this.#clock.after(PATIENCE_MS, resolve);
      void reading.then(() => {
        late.cancel();
        resolve();
      });
    });
  }
}
