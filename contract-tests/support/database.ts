/**
 * A database of its own for each server: a SQLite file in the server's folder or, when SLUICE_TEST_DATABASE is the
 * address of a MySQL or MariaDB server (`mysql://user:password@host:port`), a schema that is dropped afterwards. A test
 * can make either unreachable: the gateway reaches a server through a proxy, and sqlite-outage.ts fails a file.
 */
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { createConnection } from 'mysql2/promise';
import { startProxy } from './proxy.ts';
import { withoutSqliteFile } from './sqlite-outage.ts';

/** An empty database. */
export interface TestDatabase {
  /** As in DATABASE_URL: one address for the gateway, and one for operators, which works during an outage. */
  readonly url: string;
  readonly directUrl: string;
  /** Runs `act` while the gateway cannot reach the database. */
  outage<Result>(act: () => Promise<Result>): Promise<Result>;
  /** Runs `act` while the server takes what the gateway sends and answers nothing; null for a SQLite file. */
  readonly silence: (<Result>(act: () => Promise<Result>) => Promise<Result>) | null;
  /**
   * Takes it from the gateway for good: a file is moved, the lease on a server is given to another. The operator still
   * finds what was committed, once the function that it resolves with was called.
   */
  take(): Promise<() => void>;
  /** Removes it; a SQLite file is removed with its folder. */
  drop(): Promise<void>;
}

const server = process.env.SLUICE_TEST_DATABASE;

/** Makes an empty database; a SQLite file is put into `folder`. */
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
    silence: null,
    async take() {
      renameSync(filename, `${filename}.moved`);
      return () => renameSync(`${filename}.moved`, filename);
    },
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
    async silence(act) {
      proxy.silence();
      try {
        return await act();
      } finally {
        proxy.speak();
      }
    },
    async take() {
      await runStatement(direct.href, "UPDATE leases SET epoch = epoch + 1 WHERE name LIKE 'gateway:%'");
      return () => {};
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
