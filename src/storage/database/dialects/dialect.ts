/**
 * The differences between the two kinds of database. Everything else in `storage/` is written once, in the SQL that
 * both understand; a difference that is not named here is a bug. Their SQL: `sqlite.ts` and `mysql.ts`.
 */

/** The differences between the databases. */
export interface Dialect {
  readonly name: 'sqlite' | 'mysql';
  /** Options after the closing bracket of a CREATE TABLE whose rows are small and clustered by their primary key. */
  readonly clusteredTable: string;
  /** The same for a table with large rows. */
  readonly wideTable: string;
  /** The column definition of a primary key that the database counts up; a rolled back number may be left out. */
  readonly serialKey: string;
  /** The end of a CREATE INDEX over a column that is null in most rows. */
  whereNotNull(column: string): string;
  /**
   * Whether the database has partial indexes. A query uses one by repeating its condition. If so, `orders_live` has the
   * orders that are `LIVE`, `orders_ended` those that are `ENDED`, and `orders_by_batch` the lines of batches. If not,
   * the last two have every order, and so has `orders_by_status`, which replaces the first.
   */
  readonly partialIndexes: boolean;
  /** The type of text of some megabytes. */
  readonly longText: string;
  /** Statements that change a nullable TEXT column to a long text. */
  widenText(table: string, column: string): readonly string[];
  /** The table, to be read by this index only: query planners guess, and a wrong guess reads the whole account. */
  by(table: string, index: string): string;
  /** Whether a SELECT with a limit can be part of a union directly; otherwise only as a subquery. */
  readonly limitsInUnions: boolean;
  /** Between two tables: joins them, and reads the first one first. */
  readonly joinInOrder: string;
  /** Begins a transaction that will write. SQLite takes the write lock at once, so that it never fails midway. */
  readonly begin: string;
  /** Row lock: the end of a SELECT whose rows must not change before the commit. */
  readonly forUpdate: string;
  /** The end of an INSERT whose rows may exist by `key`, its only unique key; assignments follow. */
  onConflict(key: readonly string[]): string;
  /** In these assignments, the value that the row was to be inserted with. */
  proposed(column: string): string;
  /** Two expressions: sum(`high`) × 10^9 + sum(`low`) is the sum of `expression`, without overflow. */
  exactSum(expression: string): { high: string; low: string };
  /**
   * Whether an error of the driver says that the values are wrong: a duplicate key, a CHECK, a range, a length, a null.
   * No retry can mend that. Every other error of a database may be temporary, also an unknown one.
   */
  isDataError(error: unknown): boolean;
  /**
   * Whether an error is of a database that does not do what it was asked now: busy, full, disconnected, deadlocked. Not of
   * wrong values, and not of a statement that it does not understand or whose table is missing: that is reported as a bug.
   */
  isOutage(error: unknown): boolean;
  /** Whether a migration statement fails only because it was applied before. */
  isAlreadyDone(error: unknown): boolean;
}

/** The statuses of orders that may still run, and of ended ones, as SQL. Two values each: see `migrations/baseline/orders.ts`. */
export const LIVE = "orders.status IN ('queued', 'executing')";
export const ENDED = "orders.status NOT IN ('queued', 'executing')";

/** The code of a statement that was not answered by its deadline. */
export const OVERDUE = 'PROTOCOL_SEQUENCE_TIMEOUT';

/** The code of the error for a number that no column can hold. */
export const NOT_FINITE = 'NOT_FINITE';

/** Whether the database did not answer by the deadline. A retry would make the caller wait as long again. */
export function isOverdue(error: unknown): boolean {
  return errorCode(error) === OVERDUE || errorCode(error) === 'ETIMEDOUT' || isPoolTimeout(error);
}

/** Every connection of the pool waits for a server that does not answer. */
export function isPoolTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'KnexTimeoutError';
}

/** The `code` of a driver's error, or ''. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return String(error.code);
}
