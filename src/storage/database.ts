/**
 * The database of a gateway: one knex over SQLite or MySQL, opened from DATABASE_URL. Repositories read and write
 * through it; orders and money change through the journal, which has a connection of its own. Integers come back as
 * bigint or as text and pass through `values.ts`, never through a double. docs/architecture.md.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import type { Clock } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';
import type { Dialect } from './dialects/dialect.ts';
import { mysql } from './dialects/mysql.ts';
import { sqlite, sqlitePragmas } from './dialects/sqlite.ts';

/** Where the data is: a file, or a server with the URL it was named by. */
export type DatabaseAddress =
  | { readonly type: 'sqlite'; readonly filename: string }
  | { readonly type: 'mysql'; readonly url: string };

/** An open database. `close` waits for nothing: end what uses it first. */
export interface Database {
  readonly address: DatabaseAddress;
  readonly dialect: Dialect;
  readonly knex: Knex;
  /**
   * Runs a transaction that writes. On SQLite one at a time: its calls block the thread, so a second writer in it would
   * wait for the first without letting it go on. Use it through `transaction.ts`.
   */
  inWriteTurn<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/** What the operator's repositories are made of. */
export interface OperatorParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Connections of the repositories. Small and fixed: readers queue here, not in the server. */
const POOL_MAX = 8;
/** Knex would print a connection that fails, with its stack, on standard output; whoever asked is told by the error. */
const SILENT = { warn() {}, error() {} };

/**
 * Opens the database that `url` names: `sqlite:data/sluice.sqlite` (the file and its folder are made when missing) or
 * `mysql://user:password@host:port/name`. Throws Error for anything else. Tables are made by `migrate`.
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

function oneAtATime(): Database['inWriteTurn'] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  };
}

/** Reads DATABASE_URL. Throws Error with one sentence when it is neither kind. */
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

function openMysql(url: string): Knex {
  return knex({ client: 'mysql2', log: SILENT, connection: mysqlSettings(url), pool: { min: 0, max: POOL_MAX } });
}

/** How every connection to MySQL is made, the journal's too: BIGINT comes back as text, exactly. */
export function mysqlSettings(url: string) {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    // An address of IPv6 stands in brackets in a URL, and nowhere else.
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
