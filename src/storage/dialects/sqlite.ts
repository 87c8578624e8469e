/** SQLite through better-sqlite3: the embedded default, for one gateway on one machine. */
import { type Dialect, errorCode } from './dialect.ts';

const TRANSIENT = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL|INTERRUPT)/;

export const sqlite: Dialect = {
  name: 'sqlite',
  clusteredTable: 'WITHOUT ROWID',
  wideTable: '',
  whereNotNull: (column) => ` WHERE ${column} IS NOT NULL`,
  partialIndexes: true,
  statusIndexes: [
    "CREATE INDEX orders_live ON orders (account_id, created_at_ms) WHERE status IN ('queued', 'executing')",
    "CREATE INDEX orders_failed ON orders (account_id, created_at_ms) WHERE status IN ('error', 'canceled', 'expired')",
  ],
  endedIndex: [
    'DROP INDEX orders_by_model',
    'DROP INDEX orders_failed',
    `CREATE INDEX orders_ended ON orders (account_id, model, kind, status, created_at_ms, id)
     WHERE status IN ('done', 'error', 'canceled', 'expired')`,
  ],
  endedIndexAnew: [
    'DROP INDEX orders_ended',
    `CREATE INDEX orders_ended ON orders (account_id, model, kind, status, created_at_ms, id)
     WHERE status NOT IN ('queued', 'executing')`,
  ],
  batchIndexes: [
    'DROP INDEX orders_by_account',
    'CREATE INDEX orders_by_account ON orders (account_id, created_at_ms, id, batch_id)',
    'DROP INDEX orders_ended',
    `CREATE INDEX orders_ended ON orders (account_id, model, kind, status, created_at_ms, id, batch_id)
     WHERE status NOT IN ('queued', 'executing')`,
  ],
  longText: 'TEXT',
  widenText: () => [],
  by: (table, index) => `${table} INDEXED BY ${index}`,
  limitsInUnions: false,
  begin: 'BEGIN IMMEDIATE',
  forUpdate: '',
  // SQLite raises an error when a sum of integers leaves 64 bits.
  exactSum: (expression) => ({ high: `(${expression}) / 1000000000`, low: `(${expression}) % 1000000000` }),
  packed(integers) {
    const hex = integers.map(({ integer, bytes }) => `printf('%0${2 * bytes}x', ${integer})`);
    return { before: [], blob: `unhex(group_concat(${hex.join(' || ')}, ''))` };
  },
  isTransient: (error) => TRANSIENT.test(errorCode(error)),
  isAlreadyDone: () => false,
};

/** Set on every connection: a commit survives a power cut, and a writer in another process is waited for. */
export const sqlitePragmas = [
  'busy_timeout = 2000',
  'journal_mode = WAL',
  'synchronous = FULL',
  'cache_size = -65536',
  'temp_store = MEMORY',
  'wal_autocheckpoint = 8000',
] as const;
