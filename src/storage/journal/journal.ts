/**
 * Group commit. What arrives while a transaction commits forms the next one, so an idle gateway commits at once and a
 * busy one shares each commit among all who wait. Units are applied in the order they were written, and the database
 * always holds a prefix of them. A commit that fails, or whose fate is unknown, is tried again until it succeeds; every
 * unit answers the same when it is applied twice. docs/lifecycle.md.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { JournalOutcomes, JournalPort, JournalUnit } from '#orders/journal-port.ts';
import type { UnitResult } from './batch.ts';
import type { JournalDriver } from './driver.ts';
import type { JournalOutcome } from './units.ts';

/** Units of one transaction at most, so that the first of them does not wait for thousands. */
const BATCH_MAX = 256;
/** Units that may wait; above, orders are not taken. */
const QUEUE_MAX = 10_000;
/** Without a commit for this long, while one is wanted, the journal counts as stalled. */
const STALL_MS = 1000;
const RETRY_MS_FIRST = 20;
const RETRY_MS_MAX = 1000;

interface Waiting {
  readonly unit: JournalUnit;
  resolve(outcome: JournalOutcome): void;
  reject(error: Error): void;
}

export interface JournalOptions {
  readonly driver: JournalDriver;
  readonly clock: Clock;
  readonly log: Log;
  readonly queueMax?: number;
}

/** The journal of one gateway. */
export class Journal implements JournalPort {
  readonly #driver: JournalDriver;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #queueMax: number;
  #queue: Waiting[] = [];
  /** Taken from the queue and not yet known to be committed, in order. */
  #inFlight: Waiting[] = [];
  #busy = false;
  /** Failures in a row. */
  #failures = 0;
  /** Since when the oldest unit in flight has been tried; null while none is. */
  #triedSinceMs: number | null = null;
  #retry: Timer | null = null;
  #drained: (() => void) | null = null;
  #closed = false;

  constructor({ driver, clock, log, queueMax = QUEUE_MAX }: JournalOptions) {
    this.#driver = driver;
    this.#clock = clock;
    this.#log = log;
    this.#queueMax = queueMax;
  }

  write<Unit extends JournalUnit>(unit: Unit): Promise<JournalOutcomes[Unit['kind']]> {
    if (this.#closed) return Promise.reject(new Fault('unavailable'));
    if (unit.kind === 'accept' && (this.stalled || this.pending >= this.#queueMax)) {
      return Promise.reject(new Fault('unavailable', { retryAfterS: 1 }));
    }
    return new Promise((resolve, reject) => {
      // The driver answers a unit with the outcome of its kind.
      this.#queue.push({ unit, resolve: resolve as (outcome: JournalOutcome) => void, reject });
      if (!this.#busy) this.#beginSoon();
    });
  }

  get stalled(): boolean {
    return this.#triedSinceMs !== null && this.#clock.nowMs() - this.#triedSinceMs >= STALL_MS;
  }

  /** Whether a commit is under way or about to begin, as against nothing to commit and waiting to try again. */
  get committing(): boolean {
    return this.#busy && this.#retry === null;
  }

  /** Units that are not known to be committed. */
  get pending(): number {
    return this.#queue.length + this.#inFlight.length;
  }

  /**
   * Takes nothing more, commits what is waiting and closes the connection. When the database does not commit, the units
   * left are rejected instead of waited for; an outcome unknown to their callers is then in the database or it is not.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry) this.#abandon();
    if (this.pending > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    await this.#driver.close();
  }

  /**
   * At the end of this turn of the event loop, so that all that has arrived by then shares a commit: each costs as much
   * as several units. An idle gateway is there at once.
   */
  #beginSoon(): void {
    this.#busy = true;
    setImmediate(() => this.#begin());
  }

  #begin(): void {
    this.#inFlight = this.#queue.splice(0, BATCH_MAX);
    this.#triedSinceMs = this.#clock.nowMs();
    this.#apply(false);
  }

  #apply(again: boolean): void {
    const units = this.#inFlight.map(({ unit }) => unit);
    void this.#driver.apply(units, again).then(({ results, failure }) => {
      for (const [index, result] of results.entries()) this.#answer(this.#inFlight[index], result);
      this.#inFlight.splice(0, results.length);
      if (failure === null) this.#next();
      else this.#comeBack(failure, results.length > 0);
    });
  }

  #answer(waiting: Waiting | undefined, result: UnitResult): void {
    if (!waiting) return;
    if ('outcome' in result) {
      waiting.resolve(result.outcome);
      return;
    }
    this.#log.error({ kind: waiting.unit.kind, error: result.error }, 'A unit cannot be applied and was left out.');
    waiting.reject(new Error(result.error));
  }

  #next(): void {
    if (this.#failures > 0) this.#log.info({ failures: this.#failures }, 'The database commits again.');
    this.#failures = 0;
    this.#triedSinceMs = null;
    this.#busy = false;
    if (this.#queue.length > 0) this.#beginSoon();
    else this.#drained?.();
  }

  #comeBack(failure: string, progressed: boolean): void {
    this.#failures++;
    if (progressed) this.#triedSinceMs = this.#clock.nowMs();
    if (this.#closed) {
      this.#abandon();
      return;
    }
    const delayMs = Math.min(RETRY_MS_MAX, RETRY_MS_FIRST * 2 ** Math.min(this.#failures - 1, 10));
    this.#log.warn({ failure, failures: this.#failures, delayMs }, 'The database did not commit; trying again.');
    this.#retry = this.#clock.after(delayMs, () => {
      this.#retry = null;
      this.#apply(true);
    });
  }

  /** Gives up what is left; only between two tries, when nobody is applying. */
  #abandon(): void {
    this.#retry?.cancel();
    this.#retry = null;
    for (const waiting of [...this.#inFlight, ...this.#queue]) waiting.reject(new Fault('unavailable'));
    this.#inFlight = [];
    this.#queue = [];
    this.#triedSinceMs = null;
    this.#busy = false;
    this.#drained?.();
  }
}
