/** The journal's driver for MySQL and MariaDB: one session, opened again after it was lost. */
import { systemClock } from '#base/clock.ts';
import { mysql } from '../database/dialects/mysql.ts';
import { type Applied, applyUnits, type JournalDriver } from './apply-units.ts';
import { MysqlSession, type SessionOptions } from './mysql-session.ts';
import { runAsync, type Statement, type StatementResult } from './steps.ts';
import type { JournalUnit } from './units.ts';

export class MysqlDriver implements JournalDriver {
  readonly #url: string;
  readonly #options: SessionOptions;
  #session: MysqlSession | null = null;
  /** Whether the next statement is the first of a transaction, on a session that was idle. */
  #begins = false;

  constructor(url: string, options: SessionOptions = { fence: null, clock: systemClock }) {
    this.#url = url;
    this.#options = options;
  }

  async apply(units: readonly JournalUnit[], again: boolean): Promise<Applied> {
    this.#begins = this.#session !== null;
    const steps = applyUnits(mysql, units, again, this.#options.fence);
    const applied = await runAsync(steps, (statement) => this.#execute(statement));
    // A session that failed may be in the middle of anything: the next attempt gets a new one.
    if (applied.failure !== null) this.#drop();
    return applied;
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    if (!session?.lost) await session?.close();
  }

  /** The server may have closed an idle session. Its BEGIN then had no effect, and another session can repeat it. */
  async #execute(statement: Statement): Promise<StatementResult> {
    const begins = this.#begins;
    this.#begins = false;
    if (begins && this.#session?.lost) this.#session = null;
    this.#session ??= await MysqlSession.open(this.#url, this.#options);
    const session = this.#session;
    try {
      return await session.execute(statement);
    } catch (error) {
      if (!begins || !mysql.isTransient(error)) throw error;
      session.drop();
      this.#session = null;
      return this.#execute(statement);
    }
  }

  #drop(): void {
    this.#session?.drop();
    this.#session = null;
  }
}
