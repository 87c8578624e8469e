/**
 * Rows that somebody damaged must not hold up the others: lists read on behind them, a read by id is refused, the log
 * names each once, and so does the audit.
 */
import { Fault } from '#base/fault.ts';
import type { SetApart } from '#orders/ports.ts';
import type { Database } from '../database/database.ts';
import { type Row, text } from '../database/values.ts';

/** What `from` reads in rows that have an id, in their order, and those that it cannot read. */
export function readable<Of>(rows: readonly Row[], from: (row: Row) => Of): { read: Of[]; unreadable: SetApart[] } {
  const read: Of[] = [];
  const unreadable: SetApart[] = [];
  for (const row of rows) {
    try {
      read.push(from(row));
    } catch (error) {
      unreadable.push({ id: text(row.id), error });
    }
  }
  return { read, unreadable };
}

/** How often a page reads on behind unreadable rows; with more of them, the whole table is at fault. */
const READS_MAX = 20;

/** Reads the rows of a table that have an id. */
export class RowReader<Of> {
  readonly #db: Pick<Database, 'noteUnreadable'>;
  readonly #table: string;
  readonly #from: (row: Row) => Of;

  constructor(db: Pick<Database, 'noteUnreadable'>, table: string, from: (row: Row) => Of) {
    this.#db = db;
    this.#table = table;
    this.#from = from;
  }

  /** The object in a row. Throws Fault internal_error where it cannot be read. */
  one(row: Row): Of {
    const [only] = this.some([row]);
    if (only === undefined) throw new Fault('internal_error', { message: DAMAGED });
    return only;
  }

  /** The rows that can be read. */
  some(rows: readonly Row[]): Of[] {
    const { read, unreadable } = readable(rows, this.#from);
    for (const { id, error } of unreadable) this.#db.noteUnreadable(this.#table, id, error);
    return read;
  }

  /**
   * A page of `limit`, or all that are left: a shorter one would pass for the last. `rowsAfter` reads at most `limit`
   * rows of the list, after that row, or from the beginning of the page where it is null. Throws Fault internal_error
   * where too many cannot be read.
   */
  async page(limit: number, rowsAfter: (last: Row | null) => Promise<Row[]>): Promise<Of[]> {
    const read: Of[] = [];
    let last: Row | null = null;
    for (let reads = 0; reads < READS_MAX; reads++) {
      const rows = await rowsAfter(last);
      read.push(...this.some(rows));
      if (rows.length < limit || read.length >= limit) return read.slice(0, limit);
      last = rows.at(-1) ?? null;
    }
    throw new Fault('internal_error', { message: DAMAGED });
  }
}

const DAMAGED =
  'What is stored here cannot be read: the log of the gateway names the row. Nothing was charged for this.';
