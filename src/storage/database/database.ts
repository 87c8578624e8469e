/**
 * The database of a gateway: one knex over SQLite or MySQL, opened from DATABASE_URL. Stores read and write through it;
 * orders and money change through the journal, which has its own connection. Drivers return integers as bigint or text,
 * which `values.ts` converts, never through a double. docs/change/architecture.md.
 */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import knex, { type Knex } from 'knex';
import type { Clock } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';
import { type Log, silentLog } from '#base/log.ts';
import { type Dialect, errorCode } from './dialects/dialect.ts';
import { mysql } from './dialects/mysql.ts';
import { sqlite, sqlitePragmas } from './dialects/sqlite.ts';
import { openPool, POOL_MAX, SILENT } from './mysql-connection.ts';
import { DatabaseMissing } from './refusal.ts';
import { lostLog } from './served-file.ts';

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
  /** Names a row in the log that cannot be read, once. */
  noteUnreadable(table: string, id: string, error: unknown): void;
  close(): Promise<void>;
}

/** What the operator's stores are built from. */
export interface OperatorOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/**
 * Opens the database at `url`: `sqlite:data/sluice.sqlite` (file and folder are created when missing, unless it `mustExist`) or
 * `mysql://user:password@host:port/name`. Throws DatabaseMissing where there was, or must be, a database, and Error for anything else.
 * `migrate` creates the tables. `log` gets the rows that cannot be read.
 */
export function openDatabase(url: string, log: Pick<Log, 'error'> = silentLog, mustExist = false): Database {
  const address = databaseAddress(url);
  const client = address.type === 'sqlite' ? openSqlite(address.filename, mustExist) : openPool(address.url, null);
  return {
    address,
    dialect: address.type === 'sqlite' ? sqlite : mysql,
    knex: client,
    inWriteTurn: address.type === 'sqlite' ? oneAtATime() : (work) => work(),
    noteUnreadable: namedOnce(log),
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
  const client = openPool(db.address.url, deadlineMs);
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

/** This many rows are named: enough to see what happened to them. */
const NAMED_MAX = 1_000;

function namedOnce(log: Pick<Log, 'error'>): Database['noteUnreadable'] {
  const named = new Set<string>();
  return (table, id, error) => {
    const row = `${table} ${id}`;
    if (named.has(row) || named.size >= NAMED_MAX) return;
    named.add(row);
    log.error({ table, id, err: error }, 'A row cannot be read. Lists leave it out, and sluice audit names it.');
  };
}

/** Parses DATABASE_URL. Throws Error with one sentence when it is of neither kind. */
export function databaseAddress(url: string): DatabaseAddress {
  if (/^(mysql|mariadb):\/\//.test(url)) return { type: 'mysql', url: url.replace(/^mariadb:/, 'mysql:') };
  const filename = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (filename && !filename.includes(':memory:')) return { type: 'sqlite', filename };
  throw new Error('DATABASE_URL is sqlite:path/to/file or mysql://user:password@host:port/database.');
}

function openSqlite(filename: string, mustExist: boolean): Knex {
  if (!mustExist) mkdirSync(dirname(filename), { recursive: true });
  if (existsSync(filename)) refuseWithoutLog(filename);
  else {
    if (existsSync(dirname(filename))) refuseAfterLoss(filename);
    if (mustExist)
      throw new DatabaseMissing(
        "it does not exist; run this in the gateway's folder with its DATABASE_URL, or open the first account with npx sluice account create NAME",
      );
  }
  makeFile(filename);
  const opened = knex({
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
  Object.assign(opened.client, { driver: ExistingFile });
  return opened;
}

/** A connection never makes a file: where one was moved away, a new one in its place would be taken for it. */
class ExistingFile extends Sqlite {
  constructor(filename: string, options: Sqlite.Options) {
    super(filename, { ...options, fileMustExist: true });
  }
}

/** What a database leaves beside its path when it is moved or deleted while a gateway serves it. */
const TRACE = /^(-wal|\.(rescued|moved)-\d+)$/;

/** A new database must not take the place of one that was moved or deleted. */
function refuseAfterLoss(filename: string): void {
  const [folder, name] = [dirname(filename), basename(filename)];
  const trace = readdirSync(folder).find((other) => other.startsWith(name) && TRACE.test(other.slice(name.length)));
  if (trace === undefined) return;
  const next = trace.includes('.rescued-')
    ? `move that to ${filename}, or remove it to begin with an empty one`
    : `move the database back to ${filename}, or remove that file to begin with an empty one`;
  throw new DatabaseMissing(`it is gone and left ${join(folder, trace)}; ${next}`);
}

/** Otherwise it would go unnoticed that the last commits are missing. */
function refuseWithoutLog(filename: string): void {
  const lost = lostLog(filename);
  if (lost === null) return;
  const { log, index, pages } = lost;
  const next = `put it back, or remove ${index} to go on without them, and compare the receipts of callers with the orders`;
  throw new DatabaseMissing(`${log} was deleted, and with it the last commits (${pages} pages); ${next}`);
}

/** An empty file is an empty database. */
function makeFile(filename: string): void {
  try {
    closeSync(openSync(filename, 'wx'));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
