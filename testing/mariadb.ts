/** For tests that only a server can run: the databases of `databases.ts` with one kind, and waiting for what it does. */
import assert from 'node:assert/strict';
import type { Database } from '#storage/database/database.ts';
import { type OpenedDatabase, openTested, testedDatabases } from './databases.ts';
import { until } from './until.ts';

const mariadb = testedDatabases.find(({ name }) => name === 'MariaDB');

/** Why these tests cannot run here; false when they can. */
export const skipMariadb = mariadb?.skip ?? false;

/** Makes a fresh database with the tables on MariaDB. */
export async function openMariadb(): Promise<OpenedDatabase> {
  assert.ok(mariadb);
  return openTested(mariadb);
}

/** False for MySQL, which lacks some limits of MariaDB. */
export async function isMariadb({ knex }: Database): Promise<boolean> {
  const [[{ version }]] = await knex.raw('SELECT VERSION() AS version');
  return String(version).includes('MariaDB');
}

/**
 * The ids of the connections to this database that wait for a row another transaction has locked, in a statement like
 * `like`. Asked of the engine's status: information_schema.innodb_trx shows the same old rows for as long as it is read
 * more often than every 100 ms, and how long a statement has been running says nothing about why.
 */
export async function connectionsThatWait({ knex }: Database, like = '%'): Promise<number[]> {
  const [[{ Status }]] = await knex.raw('SHOW ENGINE INNODB STATUS');
  const waiting = String(Status)
    .split('---TRANSACTION')
    .filter((transaction) => transaction.includes('LOCK WAIT'))
    .map((transaction) => Number(/thread id (\d+)/.exec(transaction)?.[1]));
  const [rows] = await knex.raw('SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE ?', [
    like,
  ]);
  return rows.map(({ id }: { id: number }) => Number(id)).filter((id: number) => waiting.includes(id));
}

/** Resolves when a statement like `like` waits for a row that another transaction on this database has locked. */
export async function untilBlocked(database: Database, like?: string): Promise<void> {
  await until(async () => (await connectionsThatWait(database, like)).length > 0);
}
