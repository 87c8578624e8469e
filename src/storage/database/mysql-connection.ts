/**
 * How every connection to MySQL and MariaDB is set up, whether it is one of the pool, of a journal or of the leases: the
 * defaults of a server must not change what a statement does.
 */
import knex, { type Knex } from 'knex';
import type { Connection } from 'mysql2/promise';
import { systemClock } from '#base/clock.ts';
import { errorCode, OVERDUE } from './dialects/dialect.ts';
import { TOO_LONG } from './dialects/mysql.ts';
import { type Bound, bound } from './mysql-literal.ts';

/** Connections of the stores. Small and fixed: readers queue here, not in the server. */
export const POOL_MAX = 8;

/** Knex would print a failed connection, with its stack, on standard output; the caller gets the error anyway. */
export const SILENT = { warn() {}, error() {} };

/** The sql_mode of every session, whatever the server's default is. */
export const SQL_MODE = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';

/**
 * How a connection is set up before it is used:
 * - A value that does not fit is an error.
 * - NOW() is UTC: the time of a server may jump by an hour twice a year.
 * - A process that is paused in a transaction that writes keeps no rows locked for longer than ten seconds. MySQL has no
 *   such setting, and reads this as a comment.
 * - Each statement sees what is committed now, and locks only rows that exist. Where `innodb_snapshot_isolation` is on,
 *   as on MariaDB 11.8, the default isolation fails a transaction that waited for another. Code that needs a snapshot asks
 *   for it: `transaction.ts`.
 */
const PROFILE = [
  `SET SESSION sql_mode = '${SQL_MODE}', time_zone = '+00:00'
   /*M! , SESSION idle_write_transaction_timeout = 10 */`,
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
] as const;

/**
 * How long an answer is waited for, unless set otherwise. A paused server goes on where it was, so it is given time; one
 * whose host is gone never answers.
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

/**
 * Opens a connection that takes several statements at once. Rejects when the server cannot be reached. The next use
 * notices that it was lost.
 */
export async function openConnection(url: string): Promise<Connection> {
  // Loaded here because a gateway on SQLite does without the driver: 100 modules, and 7 MB of memory.
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({ ...mysqlSettings(url), multipleStatements: true });
  // Without a listener the event would end the process.
  connection.on('error', () => {});
  try {
    await unlessSilent(connection.query(PROFILE.join('; ')));
  } catch (error) {
    connection.destroy();
    throw error;
  }
  return connection;
}

/**
 * Throws an Error with the code `TOO_LONG` for a message that a server with this `max_allowed_packet` does not take. If
 * it were sent, the server would close the connection, mostly without an error that names the cause.
 */
export function refuseTooLong(message: string, bytesMax: number): void {
  // Three bytes at most for each UTF-16 unit, and one that says that it is a query.
  if (3 * message.length + 1 < bytesMax) return;
  const bytes = Buffer.byteLength(message) + 1;
  if (bytes < bytesMax) return;
  const sentence = `A message of ${bytes} bytes is too long for the server: its max_allowed_packet is ${bytesMax}.`;
  throw Object.assign(new Error(sentence), { code: TOO_LONG });
}

/** Opens a pool. With `deadlineMs`, waiting for a connection and each statement fail after it. */
export function openPool(url: string, deadlineMs: number | null): Knex {
  return knex({
    client: 'mysql2',
    log: SILENT,
    connection: mysqlSettings(url),
    ...(deadlineMs === null ? {} : { acquireConnectionTimeout: deadlineMs }),
    pool: {
      min: 0,
      max: POOL_MAX,
      afterCreate(connection: PooledConnection, done: (error: unknown, made: unknown) => void) {
        if (deadlineMs !== null) limitStatements(connection, deadlineMs);
        prepare(connection, PROFILE).then(
          () => done(null, connection),
          (error) => {
            connection.destroy();
            done(error, connection);
          },
        );
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

async function prepare(connection: PooledConnection, statements: readonly string[]): Promise<void> {
  for (const sql of statements)
    await new Promise<void>((resolve, reject) => {
      connection.query({ sql }, [], (error) => (error ? reject(error) : resolve()));
    });
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

/** The settings of every connection: BIGINT is returned as text, exactly, and values are written by `mysql-literal.ts`. */
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
    queryFormat: (sql: string, values: readonly Bound[]) => bound(sql, values),
  };
}
