/** The journal's driver for MySQL and MariaDB: one session, opened again after it was lost. */
import { systemClock } from '#base/clock.ts';
import { errorCode } from '../database/dialects/dialect.ts';
import { isFatal, mysql, TOO_LONG } from '../database/dialects/mysql.ts';
import { type Applied, applyUnits, type JournalDriver } from './apply-units.ts';
import { KnownAccounts } from './known-accounts.ts';
import type { MysqlSession, SessionOptions } from './mysql-session.ts';
import { COMMIT, type Round, type RoundResult } from './operations.ts';
import { runAsync } from './rounds.ts';
import type { JournalUnit } from './units.ts';

export class MysqlDriver implements JournalDriver {
  readonly #url: string;
  readonly #options: SessionOptions;
  #session: MysqlSession | null = null;
  /** Whether the next round is the first of a transaction, on a session that was idle. */
  #begins = false;
  /** Whether a session that was idle broke with a whole transaction. */
  #brokeWhole = false;
  readonly #known = new KnownAccounts();

  constructor(url: string, options: SessionOptions = { fence: null, clock: systemClock }) {
    this.#url = url;
    this.#options = options;
  }

  async apply(units: readonly JournalUnit[], again: boolean): Promise<Applied> {
    this.#brokeWhole = false;
    const applied = await this.#apply(units, again);
    // An idle session may break unnoticed. It is unknown whether it has committed, so the units are applied as if it
    // had.
    return this.#brokeWhole ? this.#apply(units, true) : applied;
  }

  async #apply(units: readonly JournalUnit[], again: boolean): Promise<Applied> {
    this.#begins = this.#session !== null;
    const { fence, clock } = this.#options;
    const rounds = applyUnits(mysql, units, again, { fence, known: this.#known, nowMs: clock.nowMs() });
    const applied = await runAsync(rounds, (round) => this.#execute(round));
    // A session that failed may be in the middle of anything: the next attempt gets a new one.
    if (applied.failure !== null) this.#drop();
    return applied;
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    if (!session?.lost) await session?.close();
  }

  /**
   * The server may have closed an idle session. A transaction that only began and read had no effect, and another
   * session repeats it.
   */
  async #execute(round: Round): Promise<RoundResult> {
    const begins = this.#begins;
    this.#begins = false;
    if (begins && this.#session?.lost) this.#session = null;
    // The driver's package is loaded here, because a gateway on SQLite does without.
    this.#session ??= await (await import('./mysql-session.ts')).MysqlSession.open(this.#url, this.#options);
    const session = this.#session;
    try {
      return await session.execute(round);
    } catch (error) {
      // Perhaps a proxy said so, which then closes the connection: the units go on, one by one, on another.
      if (errorCode(error) === TOO_LONG) this.#drop();
      if (!begins || !isFatal(error)) throw error;
      if (round.at(-1) === COMMIT) {
        this.#brokeWhole = true;
        throw error;
      }
      session.drop();
      this.#session = null;
      return this.#execute(round);
    }
  }

  #drop(): void {
    this.#session?.drop();
    this.#session = null;
  }
}
