/**
 * What a transaction does to the database, as plain data: each operation does one thing to any number of rows. SQLite
 * runs a short prepared statement for every row (`row-statements.ts`), as it has no network; MySQL gets one statement for
 * many rows (`bulk-statements.ts`), so that their number costs no round trips.
 */
import type { Row, Value } from '../database/values.ts';

/** The part of an operation that never changes. Compared by identity: the cache of statements uses it as a key. */
export type Shape =
  | PlainShape
  | ReadShape
  | CheckShape
  | InsertShape
  | UpsertShape
  | SetShape
  | IncreaseShape
  | RemoveShape;

/** Rows of a table, by the columns of their keys. */
interface KeyedShape {
  readonly table: string;
  readonly key: readonly string[];
}

/** A statement as it stands; `rows` are what to bind, once for each time it is run. */
interface PlainShape {
  readonly act: 'plain';
  readonly sql: string;
}

/** Reads the rows that have these keys; `rows` are the keys. A key finds one row, unless `index` is given. */
export interface ReadShape extends KeyedShape {
  readonly act: 'read';
  readonly columns: readonly string[];
  /** Locks the rows until the commit, in the order of their keys. */
  readonly lock: boolean;
  /** The index by which MySQL finds them; their primary key when null. */
  readonly index: string | null;
}

/**
 * Fails unless each row is there with these values, and locks it until the commit, as others may do at the same time.
 * `key` begins with the primary key. Only for MySQL: on SQLite the write itself checks.
 */
interface CheckShape extends KeyedShape {
  readonly act: 'check';
}

/** Inserts rows, whose keys must be new. */
interface InsertShape {
  readonly act: 'insert';
  readonly table: string;
  readonly columns: readonly string[];
}

/** Inserts rows; where the key exists, adds the other columns to that row, or replaces them. */
export interface UpsertShape extends KeyedShape {
  readonly act: 'add' | 'replace';
  readonly columns: readonly string[];
}

/** Sets columns of rows. Each row has the values and then the key. */
interface SetShape extends KeyedShape {
  readonly act: 'set';
  readonly columns: readonly string[];
  /** In these columns a value that is not null stays. */
  readonly once: readonly string[];
  /** Every row must be there; otherwise the transaction is `Unsure`, or its statement fails. */
  readonly exact: boolean;
}

/** Adds to columns of rows. Each row has the amounts and then the key. */
export interface IncreaseShape extends KeyedShape {
  readonly act: 'increase';
  readonly columns: readonly string[];
}

/** Deletes the rows that have these keys; `rows` are the keys. */
interface RemoveShape extends KeyedShape {
  readonly act: 'remove';
  /** As of a read. */
  readonly index: string | null;
}

/** One thing to do to rows, one at least. */
export interface Operation {
  readonly shape: Shape;
  readonly rows: readonly (readonly Value[])[];
}

/** Inserts rows; where the key exists, adds the `others` of its columns to that row, or replaces them. */
export function upsert(
  act: UpsertShape['act'],
  table: string,
  key: readonly string[],
  others: readonly string[],
): UpsertShape {
  return { act, table, key, columns: [...key, ...others] };
}

/** A shape, as it stands in the text of a program: the type keeps its `act`. */
export function shape<One extends Shape>(one: One): One {
  return one;
}

/** A statement of a transaction itself, with its values. It has one shape, because a driver prepares each shape once. */
export function command(sql: string, values: readonly Value[] = []): Operation {
  let command = commands.get(sql);
  if (!command) {
    command = { act: 'plain', sql };
    commands.set(sql, command);
  }
  return { shape: command, rows: [values] };
}

const commands = new Map<string, Shape>();

/** The end of every transaction that is to last. */
export const COMMIT = command('COMMIT');

/** Operations that depend on no result of each other: one message to the server. */
export type Round = readonly Operation[];
/** What the reads of a round returned, by its operations; a write returns no rows. */
export type RoundResult = readonly (readonly Row[])[];
