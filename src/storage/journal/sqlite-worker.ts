/**
 * The worker thread in which a journal on SQLite commits: a commit waits for the fsync and blocks its thread. One
 * message in, one message out, per transaction.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { sqlite, sqlitePragmas } from '../database/dialects/sqlite.ts';
import type { Row } from '../database/values.ts';
import { type Applied, applyUnits } from './apply-units.ts';
import { runSync, type Statement, type StatementResult } from './steps.ts';
import type { JournalUnit } from './units.ts';

interface WorkerRequest {
  readonly units: readonly JournalUnit[];
  readonly again: boolean;
}

const NO_ROWS: readonly Row[] = [];

/** The journal's own connection to SQLite, with every statement prepared once. Synchronous, hence the thread. */
class SqliteConnection {
  readonly #filename: string;
  readonly #statements = new Map<string, Sqlite.Statement<unknown[], Row>>();
  #database: Sqlite.Database | null = null;

  constructor(filename: string) {
    this.#filename = filename;
  }

  /** Applies units. This opens the file if necessary, so a file that cannot be opened yet is a failure like others. */
  apply(units: readonly JournalUnit[], again: boolean): Applied {
    return runSync(applyUnits(sqlite, units, again), (statement) => this.#execute(statement));
  }

  close(): void {
    this.#statements.clear();
    this.#database?.close();
    this.#database = null;
  }

  #execute({ sql, params }: Statement): StatementResult {
    const statement = this.#statements.get(sql) ?? this.#prepare(sql);
    if (statement.reader) return { changes: 0, rows: statement.all(...params) };
    return { changes: statement.run(...params).changes, rows: NO_ROWS };
  }

  #prepare(sql: string): Sqlite.Statement<unknown[], Row> {
    this.#database ??= this.#open();
    const statement = this.#database.prepare<unknown[], Row>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #open(): Sqlite.Database {
    const database = new Sqlite(this.#filename, { fileMustExist: true });
    for (const pragma of sqlitePragmas) database.pragma(pragma);
    database.defaultSafeIntegers(true);
    return database;
  }
}

const connection = new SqliteConnection(String(workerData));

parentPort?.on('message', (message: WorkerRequest | 'close') => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(connection.apply(message.units, message.again));
});
