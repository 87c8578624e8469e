/**
 * What the two kinds of database do differently. Everything else in `storage/` is written once, in the SQL that both
 * understand; a difference that is not named here is a bug.
 */

/** An expression that is never negative, and in how many bytes it is packed; it must fit. */
export interface PackedInteger {
  readonly integer: string;
  readonly bytes: number;
}

/** The differences between the databases. */
export interface Dialect {
  readonly name: 'sqlite' | 'mysql';
  /** What follows the bracket of a CREATE TABLE whose rows are small and clustered by their primary key. */
  readonly clusteredTable: string;
  /** The same for a table with large rows. */
  readonly wideTable: string;
  /** The end of an index over a column that is null in most rows. */
  whereNotNull(column: string): string;
  /**
   * Whether an index can be of some rows alone, which a query names with the words of the index. Then `orders_live` is of
   * the orders that are `LIVE`, `orders_ended` of those that are `ENDED`, and `orders_by_batch` of the lines of batches.
   * Else the last two are of every order, and `orders_by_status`, which is too, takes the place of the first.
   */
  readonly partialIndexes: boolean;
  /** The first indexes by which orders of a status were found. */
  readonly statusIndexes: readonly string[];
  /** Puts the first `orders_ended` in the place of earlier indexes. */
  readonly endedIndex: readonly string[];
  /** Makes that index anew with the condition that `ENDED` is now. */
  readonly endedIndexAnew: readonly string[];
  /** Puts indexes that know batches in the place of earlier ones. */
  readonly batchIndexes: readonly string[];
  /** Text of some megabytes. */
  readonly longText: string;
  /** Statements that make a column that is TEXT, and may be null, a long text. */
  widenText(table: string, column: string): readonly string[];
  /** A table to select from by this index and no other: planners guess, and a wrong guess reads the whole account. */
  by(table: string, index: string): string;
  /** Whether a SELECT with a limit can be part of a union; else only as a query within one. */
  readonly limitsInUnions: boolean;
  /** Opens a transaction that will write. SQLite takes the write lock at once, so that it never fails half-way. */
  readonly begin: string;
  /** The end of a SELECT whose rows must not change before the commit. */
  readonly forUpdate: string;
  /** Two expressions whose sums, times 10^9 and 1, add up to the sum of `expression` without overflow. */
  exactSum(expression: string): { high: string; low: string };
  /** An aggregate: the integers of all rows of a group, big-endian, one after the other, rows in any order; `before` is run first. */
  packed(integers: readonly PackedInteger[]): { readonly before: readonly string[]; readonly blob: string };
  /** Whether trying the same again may succeed: busy, full, read-only, disconnected, deadlocked. */
  isTransient(error: unknown): boolean;
  /** Whether a migration step fails only because it was done before. */
  isAlreadyDone(error: unknown): boolean;
}

/** The statuses of orders that may still run, and of those that ended, as SQL. Two words each: see migration 0014. */
export const LIVE = "orders.status IN ('queued', 'executing')";
export const ENDED = "orders.status NOT IN ('queued', 'executing')";

/** The `code` of a driver's error, or the empty string. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return String(error.code);
}
