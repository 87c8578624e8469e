/** A table of SQLite as a map, for tests that look at what is stored and change it. */
import type Sqlite from 'better-sqlite3';
import type { NewRow, Row } from '#storage/database/values.ts';

/** How the rows of a table are shown as a map. */
export interface Shown<Value> {
  readonly table: string;
  readonly key: string;
  read(row: Row): Value;
  write(id: string, value: Value): NewRow;
}

/** The rows of a table by their key. A test may change them without telling the order service. */
export class RowMap<Value> {
  readonly #database: Sqlite.Database;
  readonly #shown: Shown<Value>;
  readonly #statements = new Map<string, Sqlite.Statement<unknown[], Row>>();

  constructor(database: Sqlite.Database, shown: Shown<Value>) {
    this.#database = database;
    this.#shown = shown;
  }

  /** The row with this key; undefined for none. */
  get(id: string): Value | undefined {
    return this.where(`${this.#shown.key} = ?`, id)[0];
  }

  has(id: string): boolean {
    return this.count(`${this.#shown.key} = ?`, id) > 0;
  }

  values(): Value[] {
    return this.where('TRUE');
  }

  /** The rows for which an SQL condition is true. */
  where(condition: string, ...values: (string | number)[]): Value[] {
    const rows = this.#prepare(`SELECT * FROM ${this.#shown.table} WHERE ${condition}`).all(...values);
    return rows.map((row) => this.#shown.read(row));
  }

  /** How many there are. */
  count(condition: string, ...values: (string | number)[]): number {
    const [row] = this.#prepare(`SELECT COUNT(*) AS number FROM ${this.#shown.table} WHERE ${condition}`).all(
      ...values,
    );
    return Number(row?.number);
  }

  get size(): number {
    return this.count('TRUE');
  }

  /** Inserts a row, or replaces the one with this key. */
  set(id: string, value: Value): void {
    const row = this.#shown.write(id, value);
    const columns = Object.keys(row);
    const marks = columns.map(() => '?').join(', ');
    const insert = `REPLACE INTO ${this.#shown.table} (${columns.join(', ')}) VALUES (${marks})`;
    this.#prepare(insert).run(...Object.values(row));
  }

  delete(id: string): void {
    this.#prepare(`DELETE FROM ${this.#shown.table} WHERE ${this.#shown.key} = ?`).run(id);
  }

  clear(): void {
    this.#prepare(`DELETE FROM ${this.#shown.table}`).run();
  }

  #prepare(sql: string): Sqlite.Statement<unknown[], Row> {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare<unknown[], Row>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
