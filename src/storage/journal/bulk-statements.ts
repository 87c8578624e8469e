/**
 * The text of operations for many rows at once, with their values in it, as MySQL and MariaDB take it. A statement ends
 * where it becomes long, so that no message is too large for a server.
 */
import { mysql } from '../database/dialects/mysql.ts';
import { bound, literal } from '../database/mysql-literal.ts';
import type { Value } from '../database/values.ts';
import type { Operation, Round, Shape } from './operations.ts';
import { conflictText, insertText, newValue } from './row-statements.ts';

/** How long a statement may become before the next row begins another, in UTF-16 units. */
const STATEMENT_TEXT = 256 * 1024;

/** How long a message may become before the next statement begins another. Servers take 16 MB, unless set otherwise. */
const MESSAGE_TEXT = 1024 * 1024;

/** Statements that are sent at once, and which operation of the round each belongs to. */
export interface Message {
  readonly text: string;
  readonly owners: readonly number[];
}

/** The messages of a round, in order. */
export function* messagesOf(round: Round): Generator<Message> {
  let statements: string[] = [];
  let owners: number[] = [];
  let length = 0;
  for (const [owner, operation] of round.entries())
    for (const statement of bulkStatements(operation)) {
      if (length > 0 && length + statement.length > MESSAGE_TEXT) {
        yield { text: statements.join('; '), owners };
        [statements, owners, length] = [[], [], 0];
      }
      statements.push(statement);
      owners.push(owner);
      length += statement.length;
    }
  yield { text: statements.join('; '), owners };
}

type Written = Exclude<Shape, { act: 'plain' | 'check' }>;

/** The statements of an operation, each for as many of its rows as fit. */
export function* bulkStatements({ shape, rows }: Operation): Generator<string> {
  if (shape.act === 'plain') {
    for (const row of rows) yield bound(shape.sql, row);
    return;
  }
  if (shape.act === 'check') {
    yield checkText(shape, rows);
    return;
  }
  const { begin, row: textOf, between, end } = textsOf(shape, rows);
  let text = '';
  for (const row of rows) {
    text += text === '' ? begin + textOf(row, true) : between + textOf(row, false);
    if (text.length < STATEMENT_TEXT) continue;
    yield text + end;
    text = '';
  }
  if (text !== '') yield text + end;
}

interface Texts {
  readonly begin: string;
  row(values: readonly Value[], first: boolean): string;
  readonly between: string;
  readonly end: string;
}

function textsOf(shape: Written, rows: Operation['rows']): Texts {
  switch (shape.act) {
    case 'read':
      return readTexts(shape);
    case 'insert':
      return { begin: insertText(shape), row: listed(shape), between: ', ', end: '' };
    case 'add':
    case 'replace':
      return { begin: insertText(shape), row: listed(shape), between: ', ', end: conflictText(mysql, shape) };
    case 'set':
    case 'increase':
      return updateTexts(shape, rows);
    case 'remove': {
      const texts = keyTexts(shape.key);
      const begin = `DELETE ${shape.table} FROM ${mysql.by(shape.table, shape.index ?? 'PRIMARY')} WHERE ${texts.begin}`;
      return { ...texts, begin };
    }
  }
}

/** By an index that is named: a planner would rather go through a small table, and wait for rows that others have locked. */
function readTexts({ table, key, columns, lock, index }: Extract<Shape, { act: 'read' }>): Texts {
  const { begin, row, between, end } = keyTexts(key);
  return {
    begin: `SELECT ${columns.join(', ')} FROM ${mysql.by(table, index ?? 'PRIMARY')} WHERE ${begin}`,
    row,
    between,
    end: `${end}${lock ? ` ORDER BY ${key.join(', ')}${mysql.forUpdate}` : ''}`,
  };
}

function keyTexts(key: readonly string[]): Texts {
  const [column, ...others] = key;
  if (others.length === 0)
    return { begin: `${column} IN (`, row: (values) => literal(values[0], column), between: ', ', end: ')' };
  const row = (values: readonly Value[]) =>
    key.map((name, at) => `${name} = ${literal(values[at], name)}`).join(' AND ');
  return { begin: '', row: (values) => `(${row(values)})`, between: ' OR ', end: '' };
}

/** More than the largest integer is out of range, which fails on MySQL and MariaDB alike. */
const LARGEST = '9223372036854775807';

/**
 * The new values are a table of their own, which is read first; each of its rows finds the row to change by its key.
 * Values that all rows share are no column of it. Where the rows must be there, one that is not fails the statement.
 */
function updateTexts(shape: Extract<Shape, { act: 'set' | 'increase' }>, rows: Operation['rows']): Texts {
  const { table, key, columns } = shape;
  const [one = []] = rows;
  const names = [...columns, ...key];
  const isShared = one.map((value, at) => rows.every((row) => row[at] === value));
  const nameOf = (at: number) => (isShared[at] ? literal(one[at], names[at]) : `v${at}`);
  const own = isShared.flatMap((shared, at) => (shared ? [] : [at]));
  const sets = columns.map((column, at) => {
    const old = `${table}.${column}`;
    return `${old} = ${newValue(shape, column, old, nameOf(at))}`;
  });
  const match = key.map((column, at) => `${table}.${column} = ${nameOf(columns.length + at)}`);
  const isExact = shape.act === 'set' && shape.exact;
  const join = isExact ? 'LEFT JOIN' : 'STRAIGHT_JOIN';
  const end = isExact ? ` WHERE ${LARGEST} + (${table}.${key[0]} IS NULL)` : '';
  return {
    begin: 'UPDATE (',
    // The first row names the columns.
    row: (values, first) =>
      own.length === 0
        ? 'SELECT 1 AS v'
        : `SELECT ${own.map((at) => literal(values[at], names[at]) + (first ? ` AS v${at}` : '')).join(', ')}`,
    between: ' UNION ALL ',
    end: `) AS given ${join} ${mysql.by(table, 'PRIMARY')} ON ${match.join(' AND ')} SET ${sets.join(', ')}${end}`,
  };
}

/** Fails unless each row is there as given. By the primary key, so that rows are locked in its order. */
function checkText({ table, key }: Extract<Shape, { act: 'check' }>, rows: Operation['rows']): string {
  const { row } = keyTexts(key);
  return (
    `SELECT ${LARGEST} + (COUNT(*) <> ${rows.length}) INTO @checked FROM ${mysql.by(table, 'PRIMARY')} ` +
    `WHERE ${rows.map((values) => row(values, false)).join(' OR ')} LOCK IN SHARE MODE`
  );
}

function listed({ columns }: { readonly columns: readonly string[] }): Texts['row'] {
  return (values) => `(${values.map((value, at) => literal(value, columns[at])).join(', ')})`;
}
