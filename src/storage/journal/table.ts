/** A table as the journal sees it: what it reads of a row, what it inserts, and the shapes of what it does. */
import type { NewRow, Row } from '../database/values.ts';
import { type ReadShape, type Shape, shape } from './operations.ts';

/** One table. There is one object for each table, so that statements are cached by its shapes. */
export class Table {
  readonly name: string;
  readonly key: readonly string[];
  readonly read: ReadShape;
  readonly reads: readonly string[];
  readonly insert: Shape;
  readonly inserts: readonly string[];
  readonly remove: Shape;
  readonly once: readonly string[];
  readonly #sets = new Map<string, Shape>();

  /**
   * `reads`: what units look at, the key included; none for a table that is only written. `inserts`: all columns; those
   * of `reads` when absent.
   * `once`: those that keep the first value that they are given.
   */
  constructor(
    name: string,
    key: readonly string[],
    columns: { reads?: readonly string[]; inserts?: readonly string[]; once?: readonly string[] },
  ) {
    const { reads = [], inserts = reads, once = [] } = columns;
    this.once = once;
    this.name = name;
    this.key = key;
    this.reads = reads;
    this.inserts = inserts;
    this.read = shape({ act: 'read', table: name, key, columns: reads, lock: true, index: null });
    this.insert = shape({ act: 'insert', table: name, columns: inserts });
    this.remove = shape({ act: 'remove', table: name, key, index: null });
  }

  /** The shape that finds rows by one column, for which MySQL has this index. */
  readBy(column: string, index: string): ReadShape {
    return { ...this.read, key: [column], index };
  }

  /** The shape that changes these columns; of each row, if there are `checked` ones that have the values given last. */
  set(columns: readonly string[], checked: readonly string[]): Shape {
    const id = `${columns.join()} ${checked.join()}`;
    let found = this.#sets.get(id);
    if (!found) {
      const key = [...this.key, ...checked];
      found = shape({ act: 'set', table: this.name, key, columns, once: this.once, exact: checked.length > 0 });
      this.#sets.set(id, found);
    }
    return found;
  }

  /** The row after a change. */
  changed<One extends Row>(row: One, changes: NewRow): One {
    const kept = this.once.filter((column) => column in changes && (row[column] ?? null) !== null);
    const after = { ...row, ...changes };
    return kept.length === 0 ? after : { ...after, ...Object.fromEntries(kept.map((column) => [column, row[column]])) };
  }
}
