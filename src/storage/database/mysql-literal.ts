/**
 * Values in the text of a statement, as MySQL and MariaDB read them whatever the `sql_mode` of a connection is. The driver
 * would escape with backslashes; under NO_BACKSLASH_ESCAPES a text could then end itself, and its rest would be executed.
 */
import { NOT_FINITE } from './dialects/dialect.ts';
import type { Value } from './values.ts';

/** A longer text is encoded: escaping can double it, and one of 8 MB would no longer fit a message. In UTF-16 units. */
const PLAIN_TEXT = 256 * 1024;

/**
 * A value as SQL. A text with a backslash is encoded in base64, which grows it by a third: so no mode of the server can
 * change what it means. Throws an Error with the code `NOT_FINITE` for NaN and Infinity, which the server would read as
 * the name of a column; the sentence names `column`, if it is given.
 */
export function literal(value: Value | undefined, column?: string): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const where = column === undefined ? 'A column' : `The column ${column}`;
    throw Object.assign(new Error(`${where} cannot hold ${value}.`), { code: NOT_FINITE });
  }
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value === null || value === undefined) return 'NULL';
  if (typeof value !== 'string') return `X'${value.toString('hex')}'`;
  if (value.length <= PLAIN_TEXT && !value.includes('\\')) return `'${value.replaceAll("'", "''")}'`;
  return `CONVERT(FROM_BASE64('${Buffer.from(value).toString('base64')}') USING utf8mb4)`;
}

/** The values that a connection can bind: a value; a list, as in `IN (?)`; or a list of rows, as in `VALUES ?`. */
export type Bound = Value | boolean | undefined | readonly Bound[];

/** The statement with its values in place of the question marks. Throws Error when there are fewer or more of these. */
export function bound(sql: string, values: readonly Bound[]): string {
  if (values.length === 0) return sql;
  let at = 0;
  const text = sql.replaceAll('?', () => boundText(values[at++]));
  if (at !== values.length) throw new Error(`A statement has ${at} question marks and ${values.length} values.`);
  return text;
}

function boundText(value: Bound): string {
  if (Array.isArray(value))
    return value.map((one) => (Array.isArray(one) ? `(${boundText(one)})` : boundText(one))).join(', ');
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value))
    throw new Error('A statement has a value that is not a text, a number, bytes or null.');
  return literal(value);
}
