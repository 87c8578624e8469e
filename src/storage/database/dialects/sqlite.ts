/** SQLite through better-sqlite3: the embedded default, for one gateway on one machine. */
import { type Dialect, errorCode } from './dialect.ts';

const DATA_ERROR = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/;

export const sqlite: Dialect = {
  name: 'sqlite',
  clusteredTable: 'WITHOUT ROWID',
  wideTable: '',
  serialKey: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  whereNotNull: (column) => ` WHERE ${column} IS NOT NULL`,
  partialIndexes: true,
  longText: 'TEXT',
  widenText: () => [],
  by: (table, index) => `${table} INDEXED BY ${index}`,
  limitsInUnions: false,
  joinInOrder: 'CROSS JOIN',
  begin: 'BEGIN IMMEDIATE',
  forUpdate: '',
  onConflict: (key) => ` ON CONFLICT (${key.join(', ')}) DO UPDATE SET`,
  proposed: (column) => `excluded.${column}`,
  // SQLite raises an error when a sum of integers exceeds 64 bits.
  exactSum: (expression) => ({ high: `(${expression}) / 1000000000`, low: `(${expression}) % 1000000000` }),
  // An error without a code of SQLite is the driver's: it refuses to bind a value.
  isDataError: (error) => !isFromSqlite(error) || DATA_ERROR.test(errorCode(error)),
  // SQLITE_ERROR is a missing table, or a statement that is none.
  isOutage: (error) => isFromSqlite(error) && !DATA_ERROR.test(errorCode(error)) && errorCode(error) !== 'SQLITE_ERROR',
  // Only indexes are created without asking whether they exist.
  isAlreadyDone: (error) => error instanceof Error && /index \S+ already exists$/.test(error.message),
};

function isFromSqlite(error: unknown): boolean {
  return errorCode(error).startsWith('SQLITE_');
}

/** Set on every connection: a commit survives a power cut, and a lock by another process is waited for. */
export const sqlitePragmas = [
  'busy_timeout = 2000',
  'journal_mode = WAL',
  'synchronous = FULL',
  'cache_size = -16384',
  'temp_store = MEMORY',
  'wal_autocheckpoint = 8000',
] as const;
