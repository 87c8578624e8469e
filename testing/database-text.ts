/**
 * A database as text: its schema, to compare two of them, and all of it as SQL, to keep one that a released version made.
 * `loadText` uses no code of the gateway, so a kept database stays as that version made it.
 */
import Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import { createConnection } from 'mysql2/promise';
import { type Database, databaseAddress, openDatabase } from '#storage/database/database.ts';
import { mysqlSettings } from '#storage/database/mysql-connection.ts';

type Row = Readonly<Record<string, unknown>>;

/** The statements that create the tables and indexes of `db`, in one order and with one spacing. */
export async function schemaOf(db: Database): Promise<readonly string[]> {
  const statements = await Promise.all((await tableNames(db.knex)).map((table) => createStatements(db, table)));
  return statements.flat();
}

/** The tables and rows of the database at `url` as SQL that `loadText` reads: a line for each table, index and row. */
export async function dumpText(url: string): Promise<string> {
  const db = openDatabase(url);
  const lines: string[] = [];
  for (const table of await tableNames(db.knex)) {
    lines.push(...(await createStatements(db, table)));
    const rows: Row[] = await db.knex(table).select();
    if (rows.length > 0) lines.push(insertStatement(table, rows));
  }
  await db.close();
  return lines.map((line) => `${line};\n`).join('');
}

/** Runs what `dumpText` wrote in the empty database at `url`, of the same kind. */
export async function loadText(url: string, text: string): Promise<void> {
  const address = databaseAddress(url);
  if (address.type === 'sqlite') {
    const file = new Sqlite(address.filename);
    file.exec(text);
    file.close();
    return;
  }
  const connection = await createConnection({ ...mysqlSettings(address.url), multipleStatements: true });
  await connection.query("SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')");
  await connection.query(text);
  await connection.end();
}

/** The tables of the database behind `knex`, sorted by name. */
export async function tableNames(knex: Knex): Promise<readonly string[]> {
  if (knex.client.config.client === 'better-sqlite3') {
    const query = knex('sqlite_master').where({ type: 'table' }).whereNot({ name: 'sqlite_sequence' });
    return query.orderBy('name').pluck('name');
  }
  // MySQL has no lower case names of columns in information_schema.
  const [rows] = await knex.raw(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
  );
  return rows.map(({ name }: { name: string }) => name).sort();
}

async function createStatements({ dialect, knex }: Database, table: string): Promise<readonly string[]> {
  if (dialect.name === 'sqlite') {
    const statements: string[] = await knex('sqlite_master')
      .where({ tbl_name: table })
      .whereNotNull('sql')
      // The table before its indexes.
      .orderBy([{ column: 'type', order: 'desc' }, 'name'])
      .pluck('sql');
    return statements.map(evenlySpaced);
  }
  const [[shown]] = await knex.raw('SHOW CREATE TABLE ??', [table]);
  const lines = String(shown['Create Table'])
    .split('\n')
    .map((line) => line.trim().replace(/,$/, ''));
  const isColumn = (line: string) => line.startsWith('`');
  const inside = lines.slice(1, -1);
  // The order of columns matters. Keys and checks stand in the order in which they were added.
  const parts = [...inside.filter(isColumn), ...inside.filter((line) => !isColumn(line)).sort()];
  // A server that keeps tables in one file says so of those that were altered.
  const options = (lines.at(-1) ?? '').replace(/ AUTO_INCREMENT=\d+| \/\*!\d+ TABLESPACE \S+ \*\//g, '');
  return [`${lines[0]}${parts.join(', ')}${options}`];
}

/** SQLite keeps the text of a statement as it was written. */
function evenlySpaced(statement: string): string {
  return statement
    .replace(/\s+/g, ' ')
    .replace(/\s*([(),])\s*/g, '$1')
    .replaceAll(',', ', ')
    .trim();
}

function insertStatement(table: string, rows: readonly Row[]): string {
  const values = rows.map((row) => `(${Object.values(row).map(literal).join(', ')})`).sort();
  return `INSERT INTO ${table} (${Object.keys(rows[0] ?? {}).join(', ')}) VALUES\n${values.join(',\n')}`;
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return `X'${value.toString('hex')}'`;
  if (value instanceof Date) return `'${value.toISOString().replace('T', ' ').replace('Z', '')}'`;
  const text = String(value);
  if (text.includes('\n')) throw new Error(`A value has a line break: ${text}`);
  return typeof value === 'string' ? `'${text.replaceAll("'", "''")}'` : text;
}
