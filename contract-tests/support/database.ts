/**
 * A database of its own for each server: a SQLite file in the server's folder or, when SLUICE_TEST_DATABASE is the
 * address of a MySQL or MariaDB server (`mysql://user:password@host:port`), a schema that is dropped afterwards.
 */
import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';

/** An empty database. */
export interface TestDatabase {
  /** As in DATABASE_URL. */
  readonly url: string;
  /** Removes it; a SQLite file goes with its folder. */
  drop(): Promise<void>;
}

/** Makes an empty database; `folder` is where a SQLite file may lie. */
export async function createTestDatabase(
  folder: string,
  server = process.env.SLUICE_TEST_DATABASE,
): Promise<TestDatabase> {
  if (!server) return { url: `sqlite:${folder}/sluice.sqlite`, drop: async () => {} };
  const schema = `sluice_test_${randomBytes(8).toString('hex')}`;
  await runStatement(server, `CREATE DATABASE ${schema}`);
  const url = new URL(server);
  url.pathname = `/${schema}`;
  return { url: url.href, drop: () => runStatement(server, `DROP DATABASE ${schema}`) };
}

async function runStatement(server: string, statement: string): Promise<void> {
  const connection = await createConnection({ uri: server });
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}
