/** A connection for leases and beats. A beat never waits for the transactions of the journal, so it has its own. */
import type { Connection } from 'mysql2/promise';
import { errorCode } from '../database/dialects/dialect.ts';
import { openConnection, unlessSilent } from '../database/mysql-connection.ts';

/** How long a statement waits for a row that a transaction of the journal has locked: those end, or are ended, before. */
const LOCK_S_MAX = 4;

/** How often a transaction is tried that met another one: where several nodes write, those of other nodes come first. */
const TRIES = 20;

/** Runs `work` in a transaction, again after a deadlock. */
export async function together<Answer>(connection: Connection, work: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    await connection.query('START TRANSACTION');
    try {
      const answer = await work();
      await connection.query('COMMIT');
      return answer;
    } catch (error) {
      // Fails when the connection is gone, and the transaction with it.
      await connection.query('ROLLBACK').catch(() => {});
      if (errorCode(error) !== 'ER_LOCK_DEADLOCK' || tries === TRIES) throw error;
    }
  }
}

/** A connection that is opened when it is needed, and again after an error. What it is used for runs in turn. */
export class LeaseLine {
  readonly #url: string;
  readonly #silenceMsMax: number;
  #connection: Connection | null = null;
  /** Rises with every failure: what belongs to an earlier one is late. */
  #era = 0;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** `silenceMsMax`: after this long without an answer, what is under way fails. */
  constructor(url: string, silenceMsMax: number) {
    this.#url = url;
    this.#silenceMsMax = silenceMsMax;
  }

  /** Rejects when the database fails or is silent; the statement may still take effect for some seconds. */
  run<Answer>(work: (connection: Connection) => Promise<Answer>): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Error('This gateway has left the database.'));
    const turn = this.#last.then(() => this.#run(work));
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Closes it after what is under way, for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
    await this.#connection?.end().catch(() => {});
    this.#connection = null;
  }

  async #run<Answer>(work: (connection: Connection) => Promise<Answer>): Promise<Answer> {
    try {
      return await unlessSilent(this.#use(work), this.#silenceMsMax);
    } catch (error) {
      this.#era++;
      this.#connection?.destroy();
      this.#connection = null;
      throw error;
    }
  }

  async #use<Answer>(work: (connection: Connection) => Promise<Answer>): Promise<Answer> {
    const era = this.#era;
    if (this.#connection === null) {
      const connection = await openConnection(this.#url);
      if (era !== this.#era) {
        connection.destroy();
        throw new Error('The database was too late.');
      }
      this.#connection = connection;
      // The next use opens another one, instead of failing.
      connection.on('error', () => {
        if (this.#connection === connection) this.#connection = null;
      });
      await connection.query(`SET SESSION innodb_lock_wait_timeout = ${LOCK_S_MAX}`);
    }
    return work(this.#connection);
  }
}
