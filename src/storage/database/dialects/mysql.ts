/** MySQL and MariaDB through mysql2: for data that outgrows one machine's disk, or an operator who already runs one. */
import { type Dialect, errorCode, isPoolTimeout, OVERDUE } from './dialect.ts';

const TRANSIENT = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_SERVER_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'ER_QUERY_INTERRUPTED',
  'ER_NORMAL_SHUTDOWN',
  'ER_OUT_OF_RESOURCES',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'PROTOCOL_ENQUEUE_AFTER_QUIT',
  OVERDUE,
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

export const mysql: Dialect = {
  name: 'mysql',
  clusteredTable: TABLE,
  wideTable: TABLE,
  serialKey: 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY',
  whereNotNull: () => '',
  partialIndexes: false,
  longText: 'MEDIUMTEXT',
  widenText: (table, column) => [`ALTER TABLE ${table} MODIFY ${column} MEDIUMTEXT NULL`],
  by: (table, index) => `${table} FORCE INDEX (${index})`,
  limitsInUnions: true,
  begin: 'START TRANSACTION',
  forUpdate: ' FOR UPDATE',
  onConflict: () => ' ON DUPLICATE KEY UPDATE',
  proposed: (column) => `VALUES(${column})`,
  // A sum of BIGINT is a DECIMAL there and cannot overflow.
  exactSum: (expression) => ({ high: '0', low: expression }),
  isTransient: (error) => TRANSIENT.has(errorCode(error)) || isFatal(error) || isPoolTimeout(error),
  isAlreadyDone: (error) =>
    [
      'ER_DUP_KEYNAME',
      'ER_DUP_FIELDNAME',
      'ER_CANT_DROP_FIELD_OR_KEY',
      'ER_NO_SUCH_TABLE',
      'ER_BAD_TABLE_ERROR',
    ].includes(errorCode(error)),
};

/** Whether the error ended its connection: mysql2 marks them, whatever the cause. */
export function isFatal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'fatal' in error && error.fatal === true;
}
