/**
 * The connection on which a journal commits to MySQL or MariaDB. If the gateway has a lease,
 * the connection must not outlive the gateway: the server closes a silent connection soon, and rolls back a transaction
 * that keeps rows locked. So an idle gateway pings now and then. A gateway whose clock stood still, or whose network
 * failed, opens another connection.
 */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { Clock, Timer } from '#base/clock.ts';
import { errorCode } from '../database/dialects/dialect.ts';
import { openConnection, refuseTooLong, unlessSilent } from '../database/mysql-connection.ts';
import type { Row } from '../database/values.ts';
import type { Fence } from '../leases/fence.ts';
import { messagesOf } from './bulk-statements.ts';
import { COMMIT, type Round, type RoundResult } from './operations.ts';

/** The server closes the connection after this long without a statement: the gateway that takes over may be unable to kill it. */
const IDLE_S = 2;
/** How often an idle gateway says something. */
const PING_MS = 1_000;

/** What a session is made of; without a fence it may be idle for hours. */
export interface SessionOptions {
  readonly fence: Fence | null;
  readonly clock: Clock;
  /** False: no blocks, as on a server that has none. */
  readonly blocks?: boolean;
}

/** One connection, as long as it lasts. `open` makes it. */
export class MysqlSession {
  readonly #connection: Connection;
  readonly #clock: Clock;
  /** Whether the server (MariaDB) runs many statements as one: then one packet answers, instead of one for each. */
  #hasBlocks = false;
  /** A message must have fewer bytes. */
  #bytesMax = Number.POSITIVE_INFINITY;
  #ping: Timer | null = null;
  #spoken = false;
  #lost = false;

  private constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    // To destroy the connection here would leave statements unanswered.
    connection.on('error', () => this.#noteLoss());
    connection.on('end', () => this.#noteLoss());
  }

  /** Opens a session. Rejects when the server cannot be reached. */
  static async open(url: string, options: SessionOptions): Promise<MysqlSession> {
    const session = new MysqlSession(await openConnection(url), options.clock);
    try {
      await unlessSilent(session.#prepare(options));
    } catch (error) {
      session.drop();
      throw error;
    }
    return session;
  }

  /** Whether it is known to be unusable. */
  get lost(): boolean {
    return this.#lost;
  }

  /**
   * One message, as a rule: several only when the texts are long. The server stops at the first error. What ends with a
   * commit returns no rows.
   */
  async execute(round: Round): Promise<RoundResult> {
    this.#spoken = true;
    const results: Row[][] = round.map(() => []);
    const asBlock = this.#hasBlocks && round.at(-1) === COMMIT;
    for (const { text, owners } of messagesOf(round)) {
      const message = asBlock ? `BEGIN NOT ATOMIC ${text}; END` : text;
      refuseTooLong(message, this.#bytesMax);
      const [answer] = await unlessSilent(this.#connection.query<RowDataPacket[]>(message));
      const answers: unknown[] = owners.length === 1 ? [answer] : answer;
      for (const [at, owner] of owners.entries()) {
        const rows = answers[at];
        if (Array.isArray(rows)) for (const row of rows) results[owner]?.push(row);
      }
    }
    return results;
  }

  /** Closes it after what is under way. */
  async close(): Promise<void> {
    this.#ping?.cancel();
    await this.#connection.end();
  }

  /** Closes it at once. */
  drop(): void {
    this.#noteLoss();
    this.#connection.destroy();
  }

  #noteLoss(): void {
    this.#lost = true;
    this.#ping?.cancel();
  }

  /**
   * Tried, because a proxy may make a version up. Only a server that does not know them counts as one without: on a node of
   * Galera that is not ready every statement fails, and many statements without a block may commit one by one.
   */
  async #runsBlocks(): Promise<boolean> {
    try {
      await this.#connection.query('BEGIN NOT ATOMIC SET @checked = 0; END');
      return true;
    } catch (error) {
      if (errorCode(error) !== 'ER_PARSE_ERROR') throw error;
      return false;
    }
  }

  async #prepare({ fence, blocks = true }: SessionOptions): Promise<void> {
    this.#hasBlocks = blocks && (await this.#runsBlocks());
    const [[row]] = await this.#connection.query<RowDataPacket[]>('SELECT @@max_allowed_packet AS bytes');
    this.#bytesMax = Number(row?.bytes);
    if (fence === null) return;
    await this.#connection.query(`SET SESSION wait_timeout = ${IDLE_S}`);
    await this.#connection.query(fence.note.sql, [...fence.note.params]);
    this.#pingLater();
  }

  #pingLater(): void {
    if (this.#lost) return;
    this.#ping = this.#clock.after(PING_MS, () => {
      const answered = this.#spoken ? Promise.resolve() : unlessSilent(this.#connection.ping());
      this.#spoken = false;
      answered.then(
        () => this.#pingLater(),
        () => this.drop(),
      );
    });
  }
}
