/**
 * Group commit. Units that arrive while a transaction commits form the next one, so an idle gateway commits at once and
 * a busy one shares each commit among all that wait. Units are applied in the order in which they were written, and the
 * database always holds a prefix of them. A commit that fails, or whose fate is unknown, is retried until it succeeds;
 * units are idempotent, with the same outcome each time. docs/understand/lifecycle.md.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { Database } from '../database/database.ts';
import type { Fence } from '../leases/fence.ts';
import type { JournalDriver, UnitResult } from './apply-units.ts';
import { MysqlDriver } from './mysql-driver.ts';
import { SqliteDriver } from './sqlite-driver.ts';
import type { JournalOutcome, JournalUnit, JournalUnits } from './units.ts';

/** How many units one transaction may have, so that the first of them does not wait for thousands. */
const UNITS_PER_COMMIT = 256;
/** How long the texts of one transaction may be, in UTF-16 units, for the same reason; a longer one is alone in its own. */
const TEXT_PER_COMMIT = 1024 * 1024;
/** Backpressure: when more units are pending, new orders are refused. */
const QUEUE_MAX = 10_000;
/** How long a caller waits for a commit, unless configured. */
const DEADLINE_MS = 5000;
/** Units that make something new: withdrawn on timeout, so that a refused caller never sees it appear. */
const WITHDRAWN: ReadonlySet<JournalUnit['kind']> = new Set(['accept', 'batch-created', 'file-added']);
/** The journal counts as stalled after this long without a commit while units are pending. */
const STALL_MS = 1000;
const RETRY_MS_FIRST = 20;
const RETRY_MS_MAX = 1000;

interface PendingUnit {
  readonly unit: JournalUnit;
  resolve(outcome: JournalOutcome): void;
  reject(error: Error): void;
}

interface WriteOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly queueMax?: number;
  /** How long a caller waits for a commit. */
  readonly deadlineMs?: number;
  /** A transaction has committed, `ms` after it began or after the last one that failed. */
  readonly onCommit?: (ms: number) => void;
}

export interface JournalOptions extends WriteOptions {
  readonly driver: JournalDriver;
}

/**
 * A journal that writes to `db`, whose tables `migrate` created, on its own connection. Close it before `db`. With a
 * `fence` it commits nothing once another gateway has taken over.
 */
export function createJournal(
  db: Database,
  { fence = null, ...options }: WriteOptions & { readonly fence?: Fence | null },
): Journal {
  const { address } = db;
  const driver =
    address.type === 'sqlite'
      ? new SqliteDriver(address.filename, fence)
      : new MysqlDriver(address.url, { fence, clock: options.clock });
  return new Journal({ driver, ...options });
}

/** The journal of one gateway. */
export class Journal implements JournalPort<JournalUnits> {
  readonly #driver: JournalDriver;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #queueMax: number;
  readonly #deadlineMs: number;
  readonly #onCommit: ((ms: number) => void) | undefined;
  #queue: PendingUnit[] = [];
  /** Taken from the queue and not known to be committed, in order. */
  #inFlight: PendingUnit[] = [];
  #busy = false;
  /** Consecutive failures, and why the last one failed. */
  #failures = 0;
  #failure: string | null = null;
  /** When the first attempt to commit the oldest unit in flight began; null while none is. */
  #triedSinceMs: number | null = null;
  #retry: Timer | null = null;
  #drained: (() => void) | null = null;
  #closed = false;

  constructor({ driver, clock, log, queueMax = QUEUE_MAX, deadlineMs = DEADLINE_MS, onCommit }: JournalOptions) {
    this.#driver = driver;
    this.#clock = clock;
    this.#log = log;
    this.#queueMax = queueMax;
    this.#deadlineMs = deadlineMs;
    this.#onCommit = onCommit;
  }

  write<Unit extends JournalUnit>(unit: Unit, overdue?: () => void): Promise<JournalOutcome<Unit>> {
    if (this.#closed) return Promise.reject(new Fault('unavailable'));
    if (unit.kind === 'accept' && (this.stalled || this.pending >= this.#queueMax)) {
      return Promise.reject(new Fault('unavailable', { retryAfterS: 1 }));
    }
    return new Promise((resolve, reject) => {
      // The driver returns the outcome of the unit's kind.
      const pending = { unit, resolve: resolve as (outcome: JournalOutcome) => void, reject };
      this.#queue.push(overdue ? this.#limited(pending, overdue) : pending);
      if (this.#busy) return;
      // Begins at the end of this turn of the event loop, so that everything that has arrived by then shares a commit: a
      // commit costs as much as several units. An idle gateway reaches that point at once.
      this.#busy = true;
      setImmediate(() => this.#begin());
    });
  }

  /** The same unit, with a caller who waits no longer than the deadline. */
  #limited({ unit, resolve, reject }: PendingUnit, overdue: () => void): PendingUnit {
    const timer = this.#clock.after(this.#deadlineMs, () => {
      overdue();
      if (!WITHDRAWN.has(unit.kind)) return;
      // No effect once its commit has begun, because the commit may succeed.
      const at = this.#queue.indexOf(limited);
      if (at === -1) return;
      this.#queue.splice(at, 1);
      limited.reject(new Fault('unavailable', { retryAfterS: 1 }));
    });
    const limited: PendingUnit = {
      unit,
      resolve(outcome) {
        timer.cancel();
        resolve(outcome);
      },
      reject(error) {
        timer.cancel();
        reject(error);
      },
    };
    return limited;
  }

  get stalled(): boolean {
    return this.lagMs >= STALL_MS;
  }

  /** How long the oldest unit in flight has been tried; 0 when none is. */
  get lagMs(): number {
    return this.#triedSinceMs === null ? 0 : this.#clock.monotonicMs() - this.#triedSinceMs;
  }

  /** Whether a commit is under way or about to begin; false when idle, or pending to retry. */
  get committing(): boolean {
    return this.#busy && this.#retry === null;
  }

  /** Units that are not known to be committed. */
  get pending(): number {
    return this.#queue.length + this.#inFlight.length;
  }

  /**
   * Takes nothing more, commits what is pending and closes the connection. When the database does not commit, the rest
   * is rejected instead of waited for; whether the database has it is then unknown to the callers.
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

  #begin(): void {
    this.#inFlight = this.#queue.splice(0, this.#commitSize());
    this.#triedSinceMs = this.#clock.monotonicMs();
    this.#apply(false);
  }

  /** How many of the next units fit one transaction; at least one. */
  #commitSize(): number {
    const most = Math.min(this.#queue.length, UNITS_PER_COMMIT);
    for (let size = 0, text = 0; size < most; size++) {
      text += textLengthOf(this.#queue[size]?.unit);
      if (text > TEXT_PER_COMMIT) return Math.max(1, size);
    }
    return most;
  }

  #apply(again: boolean): void {
    const units = this.#inFlight.map(({ unit }) => unit);
    void this.#driver.apply(units, again).then(({ results, failure }) => {
      const done = this.#inFlight.splice(0, results.length);
      // The database goes on before callers do: what these units set free takes as long as half a transaction.
      if (failure === null) this.#next();
      else this.#retryLater(failure, results.length > 0);
      for (const [index, result] of results.entries()) this.#answer(done[index], result);
    });
  }

  #answer(pending: PendingUnit | undefined, result: UnitResult): void {
    if (!pending) return;
    if ('outcome' in result) {
      pending.resolve(result.outcome);
      return;
    }
    this.#log.error({ kind: pending.unit.kind, error: result.error }, 'A unit can never be applied and was rejected.');
    pending.reject(new Error(result.error));
  }

  #next(): void {
    if (this.#failures > 0) this.#log.info({ failures: this.#failures }, 'The database commits again.');
    this.#failures = 0;
    this.#failure = null;
    if (this.#triedSinceMs !== null) this.#onCommit?.(this.#clock.monotonicMs() - this.#triedSinceMs);
    this.#triedSinceMs = null;
    this.#busy = this.#queue.length > 0;
    if (this.#busy) this.#begin();
    else this.#drained?.();
  }

  #retryLater(failure: string, progressed: boolean): void {
    this.#failures++;
    if (progressed) this.#triedSinceMs = this.#clock.monotonicMs();
    if (this.#closed) {
      this.#abandon();
      return;
    }
    const delayMs = Math.min(RETRY_MS_MAX, RETRY_MS_FIRST * 2 ** Math.min(this.#failures - 1, 10));
    // Logged once for each cause, and not every second while it lasts.
    if (failure !== this.#failure) this.#log.warn({ failure }, 'The database did not commit; trying again.');
    this.#failure = failure;
    this.#retry = this.#clock.after(delayMs, () => {
      this.#retry = null;
      this.#apply(true);
    });
  }

  /** Gives up the remaining units; only between two attempts, when no transaction is under way. */
  #abandon(): void {
    this.#retry?.cancel();
    this.#retry = null;
    for (const pending of [...this.#inFlight, ...this.#queue]) pending.reject(new Fault('unavailable'));
    this.#inFlight = [];
    this.#queue = [];
    this.#triedSinceMs = null;
    this.#busy = false;
    this.#drained?.();
  }
}

/** The length of the texts in a unit that may be long. */
function textLengthOf(unit: JournalUnit | undefined): number {
  if (unit?.kind === 'accept') return (unit.body?.length ?? 0) + (unit.requestLog?.body.length ?? 0);
  return unit?.kind === 'settle' ? (unit.resultText?.length ?? 0) : 0;
}
