/**
 * The rows of one table that a transaction reads and changes: read together, changed here by one unit after the other,
 * and written together. Each unit sees what those before it left.
 */
import type { NewRow, Row, Value } from '../database/values.ts';
import type { Operation, Shape } from './operations.ts';
import type { Table } from './table.ts';

/** A row is not as a unit expected, or a unit needs more of it than it expected: the transaction starts again, and reads. */
export class Unsure extends Error {}

interface Known {
  readonly key: readonly Value[];
  /** The values that a unit expects in a row that is not read. */
  expected: NewRow | null;
  /** As the units so far left it: null when there is none, undefined when nobody read it. */
  row: Row | null | undefined;
  /** Whether the row that the database has is to be deleted. */
  removed: boolean;
  added: NewRow | null;
  changes: NewRow | null;
}

/** The rows of one table in one transaction. Rows that are read are locked. */
export class Rows {
  readonly #table: Table;
  #sure: boolean;
  readonly #known = new Map<string, Known>();
  #wanted: Known[] = [];

  /** `sure`: an expectation is not enough, every row is read. */
  constructor(table: Table, { sure }: { sure: boolean }) {
    this.#table = table;
    this.#sure = sure;
  }

  /** Whether the next read has something to read. */
  get isWanting(): boolean {
    return this.#wanted.length > 0;
  }

  /** Asks for a row in the next read. */
  want(...key: Value[]): void {
    const known = this.#of(key);
    if (known.row !== undefined) return;
    known.row = null;
    known.expected = null;
    this.#wanted.push(known);
  }

  /**
   * Asks for a row that the unit knows to have these values. It is not read, unless others ask for it too; the write
   * then checks the values, and is `Unsure` when they are others.
   */
  expect(values: NewRow, ...key: Value[]): void {
    const known = this.#of(key);
    if (this.#sure || known.expected) this.want(...key);
    else if (known.row === undefined) known.expected = values;
  }

  /** Asks for every row that was only expected: from now on all are read. */
  doubt(): void {
    this.#sure = true;
    for (const { key, expected } of this.#known.values()) if (expected) this.want(...key);
  }

  /** Reads what was asked for since the last read; `take` what it returns. */
  *reads(): Generator<Operation> {
    const wanted = this.#wanted;
    this.#wanted = [];
    for (const known of this.#known.values()) if (known.row === undefined && known.expected) known.row = known.expected;
    if (wanted.length > 0) yield { shape: this.#table.read, rows: wanted.map(({ key }) => key) };
  }

  /** A row as the database has it. */
  take(row: Row): void {
    this.#of(this.#table.key.map((column) => row[column] as Value)).row = row;
  }

  /** The row as the units before left it; null when there is none. Throws if it was not read. */
  find(...key: Value[]): Row | null {
    const known = this.#known.get(textOf(key));
    if (known?.row === undefined) throw new Error(`Nobody read ${this.#table.name} ${textOf(key)}.`);
    return known.row;
  }

  /** The same, with every column that units look at. Throws `Unsure` when it was only expected. */
  findWhole(...key: Value[]): Row | null {
    if (this.#known.get(textOf(key))?.expected) throw new Unsure();
    return this.find(...key);
  }

  /** All rows that were read or written, as the units so far left them. */
  *all(): Generator<Row> {
    for (const { row } of this.#known.values()) if (row) yield row;
  }

  /** Inserts a row. Throws when it is known to exist. */
  add(row: NewRow): void {
    const known = this.#of(this.#table.key.map((column) => row[column] ?? null));
    if (known.row) throw new Error(`${this.#table.name} has ${textOf(known.key)} already.`);
    known.added = row;
    known.row = row;
  }

  /** Changes columns of a row that exists. */
  change(changes: NewRow, ...key: Value[]): void {
    const known = this.#of(key);
    if (known.added) known.added = this.#table.changed(known.added, changes);
    else known.changes = known.changes ? this.#table.changed(known.changes, changes) : changes;
    if (known.row) known.row = this.#table.changed(known.row, changes);
  }

  /** Deletes a row, if there is one. */
  remove(...key: Value[]): void {
    const known = this.#of(key);
    if (known.added) known.added = null;
    else known.removed = true;
    known.changes = null;
    known.row = null;
  }

  /** Writes what changed: deletions first, as the key of a deleted row may have been taken again. */
  *writes(): Generator<Operation> {
    const removed: (readonly Value[])[] = [];
    const added: Value[][] = [];
    const changed = new Map<Shape, Value[][]>();
    for (const known of this.#known.values()) {
      if (known.removed) removed.push(known.key);
      if (known.added) added.push(valuesOf(known.added, this.#table.inserts));
      if (!known.changes) continue;
      // Changes of the same columns share an operation.
      const { key, expected, changes } = known;
      const columns = Object.keys(changes);
      const checked = expected ? Object.keys(expected) : [];
      const shape = this.#table.set(columns, checked);
      const row = [...valuesOf(changes, columns), ...key, ...valuesOf(expected ?? {}, checked)];
      const rows = changed.get(shape);
      if (rows) rows.push(row);
      else changed.set(shape, [row]);
    }
    if (removed.length > 0) yield { shape: this.#table.remove, rows: removed };
    for (const [shape, rows] of changed) yield { shape, rows };
    if (added.length > 0) yield { shape: this.#table.insert, rows: added };
  }

  #of(key: readonly Value[]): Known {
    const text = textOf(key);
    let known = this.#known.get(text);
    if (!known) {
      known = { key, expected: null, row: undefined, removed: false, added: null, changes: null };
      this.#known.set(text, known);
    }
    return known;
  }
}

function valuesOf(row: NewRow, columns: readonly string[]): Value[] {
  return columns.map((column) => row[column] ?? null);
}

/** Integers are numbers here, and bigint or text from a driver. */
function textOf(key: readonly Value[]): string {
  return key.length === 1 ? String(key[0]) : JSON.stringify(key.map(String));
}
