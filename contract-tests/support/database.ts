/**
 * A database of its own for each server: a SQLite file in the server's folder or, when SLUICE_TEST_DATABASE is the
 * address of a MySQL or MariaDB server (`mysql://user:password@host:port`), a schema that is dropped afterwards. A test
 * can make either vanish: the gateway reaches a database server through a proxy, and sqlite-outage.ts fails a file.
 */
import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { startProxy } from './proxy.ts';
import { withoutSqliteFile } from './sqlite-outage.ts';

/** An empty database. */
export interface TestDatabase {
  /** As in DATABASE_URL: the address for the gateway, and the one for operators, which survives an outage. */
  readonly url: string;
  readonly directUrl: string;
  /** Runs `act` while the gateway cannot reach the database. */
  outage<Result>(act: () => Promise<Result>): Promise<Result>;
  /** Removes it; a SQLite file goes with its folder. */
  drop(): Promise<void>;
}

const server = process.env.SLUICE_TEST_DATABASE;

/** Makes an empty database; `folder` is where a SQLite file may lie. */
export async function createTestDatabase(folder: string): Promise<TestDatabase> {
  return server ? createSchema(server) : sqliteFile(folder);
}

function sqliteFile(folder: string): TestDatabase {
  const filename = `${folder}/sluice.sqlite`;
  return {
    url: `sqlite:${filename}`,
    // Another name for the same file.
    directUrl: `sqlite:${folder}/./sluice.sqlite`,
    outage: (act) => withoutSqliteFile(filename, act),
    drop: async () => {},
  };
}

async function createSchema(server: string): Promise<TestDatabase> {
  const schema = `sluice_test_${randomBytes(8).toString('hex')}`;
  await runStatement(server, `CREATE DATABASE ${schema}`);
  const direct = new URL(server);
  direct.pathname = `/${schema}`;
  const proxy = await startProxy({ host: direct.hostname, port: Number(direct.port || 3306) });
  const proxied = new URL(direct);
  proxied.host = `127.0.0.1:${proxy.port}`;
  return {
    url: proxied.href,
    directUrl: direct.href,
    async outage(act) {
      await proxy.cut();
      try {
        return await act();
      } finally {
        await proxy.restore();
      }
    },
    async drop() {
      await proxy.cut();
      await runStatement(server, `DROP DATABASE ${schema}`);
    },
  };
}

async function runStatement(server: string, statement: string): Promise<void> {
  const connection = await createConnection({ uri: server });
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}
