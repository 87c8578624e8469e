/**
 * What only the database knows: the money of all accounts and the last audit. Read at most once a minute, and never
 * waited for long.
 */
import { type Clock, waitAtMost } from '#base/clock.ts';
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

/**
 * Reads it for scrapes: what was read in the last minute; null when the database does not answer. Never rejects.
 * `read` reads it now; it may reject.
 */
export function slowReader(read: () => Promise<SlowFacts>, clock: Clock): () => Promise<SlowFacts | null> {
  let known: { readonly facts: SlowFacts; readonly atMs: number } | null = null;
  let reading: Promise<void> | null = null;
  const fresh = () => (known !== null && clock.monotonicMs() - known.atMs < MINUTE_MS ? known.facts : null);
  const readAll = async () => {
    try {
      const facts = await read();
      known = { facts, atMs: clock.monotonicMs() };
    } catch {
      // Whoever needs the database says so in the log; here these series are missing.
    }
  };
  return async () => {
    if (fresh()) return fresh();
    reading ??= readAll().finally(() => {
      reading = null;
    });
    await waitAtMost(clock, PATIENCE_MS, reading);
    return fresh();
  };
}
