/**
 * The database of a gateway: one knex over SQLite or MySQL, opened from DATABASE_URL. Stores read and write through it;
 * orders and money change through the journal, which has its own connection. Drivers return integers as bigint or text,
 * which `values.ts` converts, never through a double. docs/architecture.md.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import { type Clock, systemClock } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';
import { type Dialect, errorCode, OVERDUE } from './dialects/dialect.ts';
import { mysql } from './dialects/mysql.ts';
import { sqlite, sqlitePragmas } from './dialects/sqlite.ts';

/** Where the data is: a file, or a server by its URL. */
export type DatabaseAddress =
  | { readonly type: 'sqlite'; readonly filename: string }
  | { readonly type: 'mysql'; readonly url: string };

/** An open database. `close` does not wait: end everything that uses it first. */
export interface Database {
  readonly address: DatabaseAddress;
  readonly dialect: Dialect;
  readonly knex: Knex;
  /**
   * Runs a transaction that writes, on SQLite one at a time: its calls block the thread, so a second writer in this
   * process would wait for the first without letting it continue. Use it through `transaction.ts`.
   */
  inWriteTurn<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/** What the operator's stores are built from. */
export interface OperatorOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Connections of the stores. Small and fixed: readers queue here, not in the server. */
const POOL_MAX = 8;
/**
 * How long the journal waits for an answer before it opens another connection, unless told otherwise. A paused server
 * goes on where it was, so it is given time; one whose host is gone never answers.
 */
const SILENCE_MS_MAX = 60_000;

/**
 * Resolves as `answer` does. Rejects with an error that counts as an outage after `msMax` of silence. The driver has a
 * timeout of its own, but its timer outlives a connection that is lost, and keeps the process from ending.
 */
export async function unlessSilent<Answer>(answer: Promise<Answer>, msMax = SILENCE_MS_MAX): Promise<Answer> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const error = Object.assign(new Error(`The database has not answered for ${msMax / 1000} s.`), { code: OVERDUE });
  const timer = systemClock.after(msMax, () => reject(error));
  try {
    return await Promise.race([answer, silence]);
  } finally {
    timer.cancel();
  }
}

/** Knex would print a failed connection, with its stack, on standard output; the caller gets the error anyway. */
const SILENT = { warn() {}, error() {} };

/**
 * Opens the database at `url`: `sqlite:data/sluice.sqlite` (file and folder are created when missing) or
 * `mysql://user:password@host:port/name`. Throws Error for anything else. `migrate` creates the tables.
 */
export function openDatabase(url: string): Database {
  const address = databaseAddress(url);
  const client = address.type === 'sqlite' ? openSqlite(address.filename) : openMysql(address.url);
  return {
    address,
    dialect: address.type === 'sqlite' ? sqlite : mysql,
    knex: client,
    inWriteTurn: address.type === 'sqlite' ? oneAtATime() : (work) => work(),
    close: () => client.destroy(),
  };
}

/**
 * The same database for statements that a caller waits for: on MySQL, waiting for a connection and each statement fail
 * after `deadlineMs`, as an outage. It has its own connections; repairs and sweeps may take longer and use `db`. SQLite
 * reads a local file in this thread, where nothing can be cut short: nothing changes there. Close it before `db`.
 */
export function withDeadline(db: Database, deadlineMs: number): Database {
  if (db.address.type === 'sqlite') return { ...db, close: async () => {} };
  const client = openMysql(db.address.url, deadlineMs);
  return { ...db, knex: client, close: () => client.destroy() };
}

function oneAtATime(): Database['inWriteTurn'] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  };
}

/** Parses DATABASE_URL. Throws Error with one sentence when it is of neither kind. */
export function databaseAddress(url: string): DatabaseAddress {
  if (/^(mysql|mariadb):\/\//.test(url)) return { type: 'mysql', url: url.replace(/^mariadb:/, 'mysql:') };
  const filename = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (filename && !filename.includes(':memory:')) return { type: 'sqlite', filename };
  throw new Error('DATABASE_URL is sqlite:path/to/file or mysql://user:password@host:port/database.');
}

function openSqlite(filename: string): Knex {
  mkdirSync(dirname(filename), { recursive: true });
  return knex({
    client: 'better-sqlite3',
    log: SILENT,
    connection: { filename, options: { safeIntegers: true } },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: POOL_MAX,
      afterCreate(connection: { pragma(text: string): unknown }, done: (error: Error | null, made: unknown) => void) {
        for (const pragma of sqlitePragmas) connection.pragma(pragma);
        done(null, connection);
      },
    },
  });
}

function openMysql(url: string, deadlineMs: number | null = null): Knex {
  const pool = { min: 0, max: POOL_MAX };
  const settings = { client: 'mysql2', log: SILENT, connection: mysqlSettings(url) };
  if (deadlineMs === null) return knex({ ...settings, pool });
  return knex({
    ...settings,
    acquireConnectionTimeout: deadlineMs,
    pool: {
      ...pool,
      afterCreate(connection: PooledConnection, done: (error: Error | null, made: unknown) => void) {
        limitStatements(connection, deadlineMs);
        done(null, connection);
      },
    },
  });
}

type Answered = (error: unknown, ...answer: unknown[]) => void;

/** A connection of mysql2, as knex uses it. */
interface PooledConnection {
  query(statement: object, values: unknown, answered?: Answered): unknown;
  destroy(): void;
}

/**
 * A late connection is closed, because its answer may still come; the pool then makes another. What is asked of it after
 * that fails as late, too: a transaction fails with the error of its rollback, and must not count as worth a retry.
 */
function limitStatements(connection: PooledConnection, deadlineMs: number): void {
  const query = connection.query.bind(connection);
  let overdue: unknown = null;
  connection.query = (statement, values, answered) => {
    if (overdue) {
      setImmediate(() => answered?.(overdue));
      return undefined;
    }
    return query({ ...statement, timeout: deadlineMs }, values, (error, ...answer) => {
      if (errorCode(error) === OVERDUE) {
        overdue = error;
        connection.destroy();
      }
      answered?.(error, ...answer);
    });
  };
}

/** The settings of every connection to MySQL, the journal's too: BIGINT is returned as text, exactly. */
export function mysqlSettings(url: string) {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    // An IPv6 address is in brackets in a URL, and only there.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 3306 : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    supportBigNumbers: true,
    bigNumberStrings: true,
    charset: 'utf8mb4',
    timezone: 'Z',
    connectTimeout: 5000,
  };
}
