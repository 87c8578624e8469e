/** The text of an operation for one row, with placeholders. */
import type { Dialect } from '../database/dialects/dialect.ts';
import type { Shape } from './operations.ts';

/** The statement that does to one row what `shape` does to many; bind the row. */
export function rowStatement(dialect: Dialect, shape: Shape): string {
  switch (shape.act) {
    case 'plain':
      return shape.sql;
    case 'read': {
      const lock = shape.lock ? dialect.forUpdate : '';
      return `SELECT ${shape.columns.join(', ')} FROM ${shape.table} WHERE ${matches(shape.key)}${lock}`;
    }
    case 'check':
      throw new Error('A single row has no check of its own: the statement that writes it checks it.');
    case 'insert':
      return insertText(shape) + marks(shape.columns);
    case 'add':
    case 'replace':
      return insertText(shape) + marks(shape.columns) + conflictText(dialect, shape);
    case 'set':
    case 'increase': {
      const sets = shape.columns.map((column) => `${column} = ${newValue(shape, column, column, '?')}`);
      return `UPDATE ${shape.table} SET ${sets.join(', ')} WHERE ${matches(shape.key)}`;
    }
    case 'remove':
      return `DELETE FROM ${shape.table} WHERE ${matches(shape.key)}`;
  }
}

/** The beginning of an insert; the rows follow. */
export function insertText({ table, columns }: { table: string; columns: readonly string[] }): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES `;
}

/** The end of an insert of rows that may exist. */
export function conflictText(
  dialect: Dialect,
  { act, key, columns }: Extract<Shape, { act: 'add' | 'replace' }>,
): string {
  const sets = columns
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = ${act === 'add' ? `${column} + ` : ''}${dialect.proposed(column)}`);
  return `${dialect.onConflict(key)} ${sets.join(', ')}`;
}

/** What a column becomes by an update. `old`: the column as the statement names it; `given`: the value of the row. */
export function newValue(
  shape: Extract<Shape, { act: 'set' | 'increase' }>,
  column: string,
  old: string,
  given: string,
): string {
  if (shape.act === 'increase') return `${old} + ${given}`;
  return shape.once.includes(column) ? `COALESCE(${old}, ${given})` : given;
}

function matches(key: readonly string[]): string {
  return key.map((column) => `${column} = ?`).join(' AND ');
}

function marks(columns: readonly string[]): string {
  return `(${columns.map(() => '?').join(', ')})`;
}
