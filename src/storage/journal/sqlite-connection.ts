/** The journal's own connection to SQLite, with every statement prepared once. Synchronous: it lives in a thread. */
import Sqlite from 'better-sqlite3';
import type { JournalUnit } from '#orders/journal-port.ts';
import { sqlite, sqlitePragmas } from '../dialects/sqlite.ts';
import type { Row } from '../values.ts';
import { type Applied, applyBatch } from './batch.ts';
import { type Reply, runSync, type Statement } from './steps.ts';

const NO_ROWS: readonly Row[] = [];

export class SqliteConnection {
  readonly #filename: string;
  readonly #statements = new Map<string, Sqlite.Statement<unknown[], Row>>();
  #database: Sqlite.Database | null = null;

  constructor(filename: string) {
    this.#filename = filename;
  }

  /** Applies a batch. Opening the file is part of it, so a file that cannot be opened yet is a failure like others. */
  apply(units: readonly JournalUnit[], again: boolean): Applied {
    return runSync(applyBatch(sqlite, units, again), (statement) => this.#execute(statement));
  }

  close(): void {
    this.#statements.clear();
    this.#database?.close();
    this.#database = null;
  }

  #execute({ sql, params }: Statement): Reply {
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
