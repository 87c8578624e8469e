/** The units of a journal on one connection to SQLite, with every statement prepared once. Synchronous. */
import type Sqlite from 'better-sqlite3';
import { sqlite } from '../database/dialects/sqlite.ts';
import type { Row, Value } from '../database/values.ts';
import type { Fence } from '../leases/fence.ts';
import { type Applied, applyUnits } from './apply-units.ts';
import type { Round, RoundResult, Shape } from './operations.ts';
import { runSync } from './rounds.ts';
import { rowStatement } from './row-statements.ts';
import { Unsure } from './rows.ts';
import type { JournalUnit } from './units.ts';

const NO_ROWS: readonly Row[] = [];

/** One connection, which is opened when it is needed first. */
export class SqliteConnection {
  readonly #open: () => Sqlite.Database;
  readonly #fence: Fence | null;
  readonly #statements = new Map<Shape, Sqlite.Statement<[readonly Value[]], Row>>();
  #database: Sqlite.Database | null = null;

  /**
   * `open`: a connection that returns integers as bigint. What it throws is a failure of the transaction. With a `fence`
   * nothing commits once another gateway has taken over.
   */
  constructor(open: () => Sqlite.Database, fence: Fence | null = null) {
    this.#open = open;
    this.#fence = fence;
  }

  /** Applies units, in one transaction if none of them is faulty. `again`: some may have committed before. */
  apply(units: readonly JournalUnit[], again: boolean): Applied {
    const scope = { fence: this.#fence, known: null, nowMs: 0 };
    return runSync(applyUnits(sqlite, units, again, scope), (round) => this.#execute(round));
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

  /** A file that cannot be opened is no unit's fault; the driver reports a missing folder without a code of SQLite. */
  #opened(): Sqlite.Database {
    try {
      return this.#open();
    } catch (cause) {
      throw Object.assign(new Error(`SQLite cannot open its file: ${String(cause)}`, { cause }), {
        code: 'SQLITE_CANTOPEN',
      });
    }
  }

  #prepare(shape: Shape): Sqlite.Statement<[readonly Value[]], Row> {
    this.#database ??= this.#opened();
    const statement = this.#database.prepare<[readonly Value[]], Row>(rowStatement(sqlite, shape));
    this.#statements.set(shape, statement);
    return statement;
  }
}
