/** The database of a gateway from outside, while it runs or after: its rows, and its server on this machine. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

/** A row by the names of its columns. */
export type BookRow = Readonly<Record<string, unknown>>;

/** The rows of a query, over a connection of its own. `databaseUrl` is spelled as `DATABASE_URL` is. */
export async function readBooks(databaseUrl: string, sql: string): Promise<BookRow[]> {
  if (!databaseUrl.startsWith('sqlite:')) return readServer(databaseUrl, sql);
  const file = new Sqlite(databaseUrl.slice('sqlite:'.length), { readonly: true });
  try {
    return file.prepare(sql).all() as BookRow[];
  } finally {
    file.close();
  }
}

async function readServer(databaseUrl: string, sql: string): Promise<BookRow[]> {
  const connection = await createConnection(databaseUrl.replace(/^mariadb:/, 'mysql:'));
  try {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    return rows;
  } finally {
    await connection.end();
  }
}

/** The process of a MariaDB or MySQL on this machine. */
export async function serverPid(databaseUrl: string): Promise<number> {
  const rows = await readBooks(databaseUrl, 'SELECT @@pid_file AS file');
  return Number(readFileSync(String(rows[0]?.file), 'utf8'));
}

/**
 * SIGKILL for the server that `scripts/with-mariadb` or `with-mysql` started, and a new start after `awayMs`.
 * Resolves when it answers again.
 */
export async function restartServer(databaseUrl: string, awayMs: number): Promise<void> {
  const [row] = await readBooks(databaseUrl, 'SELECT @@datadir AS folder');
  const folder = dirname(String(row?.folder).replace(/\/$/, ''));
  process.kill(await serverPid(databaseUrl), 'SIGKILL');
  await sleep(awayMs);
  await promisify(execFile)(String(process.env.TEST_DATABASE_SCRIPT), ['start', folder, new URL(databaseUrl).port]);
}
