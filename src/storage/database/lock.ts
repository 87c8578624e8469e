/**
 * The serving lock: only one gateway may serve a database, since a start ends the orders of earlier boots. The lock
 * belongs to the operating system or the database server and is never a row, so that it ends with its process in any
 * case. The operator's commands take no lock: they are safe beside a running gateway.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { type Database, mysqlSettings, unlessSilent } from './database.ts';
import { errorCode } from './dialects/dialect.ts';

/** Another gateway serves the database. Its `code` is `DATABASE_IN_USE`. */
export class DatabaseInUse extends Error {
  readonly code = 'DATABASE_IN_USE';

  constructor() {
    super('Another gateway serves this database.');
  }
}

/** A held lock. */
export interface ServingLock {
  /** Resolves when another gateway has taken the lock: this one must end at once. Otherwise stays pending. */
  readonly lost: Promise<void>;
  /** Releases the lock for the next gateway; the last use of the database. */
  release(): Promise<void>;
}

/** Takes the lock on `db` for as long as this process lives. Rejects with DatabaseInUse when another gateway has it. */
export async function lockForServing(db: Database, parts: { clock: Clock; log: Log }): Promise<ServingLock> {
  if (db.address.type === 'sqlite') return lockFile(db.address.filename);
  const lock = new ServerLock(db.address.url, parts);
  await lock.take();
  return lock;
}

/** An exclusive transaction on a file beside the database: a lock of the operating system, gone with its process. */
function lockFile(filename: string): ServingLock {
  const lock = new Sqlite(`${realFile(filename)}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw errorCode(error) === 'SQLITE_BUSY' ? new DatabaseInUse() : error;
  }
  return {
    lost: new Promise(() => {}),
    async release() {
      lock.close();
    },
  };
}

/** Symbolic links to one file share its lock. */
function realFile(filename: string): string {
  return existsSync(filename) ? realpathSync(filename) : join(realpathSync(dirname(filename)), basename(filename));
}

const LOCK_NAME = "CONCAT('sluice.serve.', MD5(DATABASE()))";
/** How long a server may take to notice that an earlier process is gone. */
const WAIT_S = 2;
const CHECK_MS = 5000;
/** Servers close connections that are idle for hours; this is the longest timeout that they accept. */
const IDLE_S = 31_536_000;

/**
 * A named lock of the server, held by its own connection. The server drops it with the connection, so it is checked: a
 * broken connection is made again, and if another gateway was faster, the lock is lost.
 */
class ServerLock implements ServingLock {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly lost: Promise<void>;
  readonly #lose: () => void;
  #connection: Connection | null = null;
  /** The server's id of the connection that last held the lock. */
  #holder: number | null = null;
  #check: Timer | null = null;
  #released = false;

  constructor(url: string, { clock, log }: { clock: Clock; log: Log }) {
    this.#url = url;
    this.#clock = clock;
    this.#log = log;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.lost = promise;
    this.#lose = resolve;
  }

  async take(): Promise<void> {
    if (!(await this.#connect())) {
      this.#drop();
      throw new DatabaseInUse();
    }
    this.#checkLater();
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#check?.cancel();
    const connection = this.#connection;
    this.#connection = null;
    // If this fails, the server notices by itself.
    await connection?.end().catch(() => {});
  }

  /** Whether a new connection got the lock. */
  async #connect(): Promise<boolean> {
    const connection = await createConnection(mysqlSettings(this.#url));
    connection.on('error', () => {});
    this.#connection = connection;
    await connection.query(`SET SESSION wait_timeout = ${IDLE_S}`);
    const [rows] = await connection.query<RowDataPacket[]>(
      `SELECT GET_LOCK(${LOCK_NAME}, ?) AS locked, IS_USED_LOCK(${LOCK_NAME}) AS holder, CONNECTION_ID() AS self`,
      [WAIT_S],
    );
    const locked = Number(rows[0]?.locked) === 1;
    const before = Number(rows[0]?.holder) === this.#holder;
    if (locked) this.#holder = Number(rows[0]?.self);
    // The server has not noticed yet that our own connection is gone: neither held nor lost.
    if (!locked && before) throw new Error('The lock is still held by the connection that broke.');
    return locked;
  }

  #checkLater(): void {
    this.#check = this.#clock.after(CHECK_MS, () => {
      void this.#look().then((held) => {
        if (this.#released) this.#drop();
        else if (held) this.#checkLater();
        else this.#lose();
      });
    });
  }

  async #look(): Promise<boolean> {
    try {
      if (!this.#connection) return await this.#connect();
      await unlessSilent(this.#connection.query('DO 0'));
      return true;
    } catch (error) {
      this.#drop();
      this.#log.warn({ err: error }, 'The connection that holds the lock on the database broke; reconnecting.');
      return true;
    }
  }

  #drop(): void {
    this.#connection?.destroy();
    this.#connection = null;
  }
}
