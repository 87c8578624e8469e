/** Rows that units look up by one column. */
import type { Row } from '../database/values.ts';
import type { Operation, ReadShape } from './operations.ts';

/** Asks for rows and reads them together, in the order of their keys, so that two transactions cannot deadlock. */
export abstract class Lookup {
  readonly #shape: ReadShape;
  protected readonly wanted = new Set<string>();

  constructor(shape: ReadShape) {
    this.#shape = shape;
  }

  /** Asks for the rows with this key. */
  want(key: string): void {
    this.wanted.add(key);
  }

  /** Whether the next read has something to read. */
  get isWanting(): boolean {
    return this.wanted.size > 0;
  }

  /** Reads what was asked for since the last read; `take` what it returns. */
  *reads(): Generator<Operation> {
    if (this.wanted.size > 0) yield { shape: this.#shape, rows: [...this.wanted].sort().map((key) => [key]) };
    this.wanted.clear();
  }

  /** A row as the database has it. */
  abstract take(row: Row): void;
}
