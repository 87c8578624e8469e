/**
 * The worker thread in which a journal on SQLite commits: a commit waits for the fsync and blocks its thread. One
 * message in, one message out, per transaction.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { sqlite, sqlitePragmas } from '../database/dialects/sqlite.ts';
import type { Row, Value } from '../database/values.ts';
import { type Applied, applyUnits } from './apply-units.ts';
import type { Round, RoundResult, Shape } from './operations.ts';
import { type PackedUnit, packApplied, unpackUnit } from './packed-units.ts';
import { runSync } from './rounds.ts';
import { rowStatement } from './row-statements.ts';
import { Unsure } from './rows.ts';
import type { JournalUnit } from './units.ts';

/** The units of one transaction. `again`: some may have committed before. */
export type WorkerRequest = readonly [again: boolean, units: readonly PackedUnit[]];

const NO_ROWS: readonly Row[] = [];

/** The journal's own connection to SQLite, with every statement prepared once. Synchronous, hence the thread. */
class SqliteConnection {
  readonly #filename: string;
  readonly #statements = new Map<Shape, Sqlite.Statement<[readonly Value[]], Row>>();
  #database: Sqlite.Database | null = null;

  constructor(filename: string) {
    this.#filename = filename;
  }

  /** Applies units. This opens the file if necessary, so a file that cannot be opened yet is a failure like others. */
  apply(units: readonly JournalUnit[], again: boolean): Applied {
    return runSync(applyUnits(sqlite, units, again), (round) => this.#execute(round));
  }

  close(): void {
    this.#statements.clear();
    this.#database?.close();
    this.#database = null;
  }

  #execute(round: Round): RoundResult {
    return round.map(({ shape, rows }) => {
      const statement = this.#statements.get(shape) ?? this.#prepare(shape);
      if (statement.reader) return rows.flatMap((row) => statement.all(row));
      const exact = shape.act === 'set' && shape.exact;
      for (const row of rows) if (statement.run(row).changes === 0 && exact) throw new Unsure();
      return NO_ROWS;
    });
  }

  #prepare(shape: Shape): Sqlite.Statement<[readonly Value[]], Row> {
    this.#database ??= this.#open();
    const statement = this.#database.prepare<[readonly Value[]], Row>(rowStatement(sqlite, shape));
    this.#statements.set(shape, statement);
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
  const [again, units] = message;
  parentPort?.postMessage(packApplied(connection.apply(units.map(unpackUnit), again)));
});
