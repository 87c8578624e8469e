/** MySQL and MariaDB through mysql2: for data that outgrows one machine's disk, or an operator who already runs one. */
import { type Dialect, errorCode, isPoolTimeout, NOT_FINITE, OVERDUE } from './dialect.ts';

/** The code of a message that is longer than the server takes. */
export const TOO_LONG = 'ER_NET_PACKET_TOO_LARGE';

/** Of wrong values, by its code where its SQLSTATE is none of the classes 22 (data) and 23 (integrity). */
const DATA_ERRORS = [
  NOT_FINITE,
  TOO_LONG,
  'WARN_DATA_TRUNCATED',
  'ER_NO_DEFAULT_FOR_FIELD',
  'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD',
  'ER_CHECK_CONSTRAINT_VIOLATED',
];

/** What a server says before it closes a connection; the driver marks only a loss without a word. */
const FAREWELLS = [
  'ER_CLIENT_INTERACTION_TIMEOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_SESSION_WAS_KILLED',
  'ER_CONNECTION_KILLED',
];

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
  joinInOrder: 'STRAIGHT_JOIN',
  begin: 'START TRANSACTION',
  forUpdate: ' FOR UPDATE',
  onConflict: () => ' ON DUPLICATE KEY UPDATE',
  proposed: (column) => `VALUES(${column})`,
  // A sum of BIGINT is a DECIMAL there and cannot overflow.
  exactSum: (expression) => ({ high: '0', low: expression }),
  isDataError,
  isOutage: (error) =>
    isFatal(error) ||
    isPoolTimeout(error) ||
    errorCode(error) === OVERDUE ||
    (sqlState(error) !== '' && !isDataError(error) && !isBug(error)),
  isAlreadyDone: (error) =>
    [
      'ER_DUP_KEYNAME',
      'ER_DUP_FIELDNAME',
      'ER_CANT_DROP_FIELD_OR_KEY',
      'ER_NO_SUCH_TABLE',
      'ER_BAD_TABLE_ERROR',
    ].includes(errorCode(error)),
};

/** Whether the error ended its connection. */
export function isFatal(error: unknown): boolean {
  if (FAREWELLS.includes(errorCode(error))) return true;
  return typeof error === 'object' && error !== null && 'fatal' in error && error.fatal === true;
}

function isDataError(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error)) || DATA_ERRORS.includes(errorCode(error));
}

/** A table or column that is missing, or a statement that is none. */
function isBug(error: unknown): boolean {
  return sqlState(error).startsWith('42S') || errorCode(error) === 'ER_PARSE_ERROR';
}

/** What the server called the kind of its error; '' for an error that is not the server's. */
function sqlState(error: unknown): string {
  return typeof error === 'object' && error !== null && 'sqlState' in error ? String(error.sqlState) : '';
}
