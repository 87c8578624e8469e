/** For tests that only a server can run: the databases of `databases.ts` with one kind, and waiting for what it does. */
import assert from 'node:assert/strict';
import { type OpenedDatabase, openTested, testedDatabases } from './databases.ts';

const mariadb = testedDatabases.find(({ name }) => name === 'MariaDB');

/** Why these tests cannot run here; false when they can. */
export const skipMariadb = mariadb?.skip ?? false;

/** Makes a fresh database with the tables on MariaDB. */
export async function openMariadb(): Promise<OpenedDatabase> {
  assert.ok(mariadb);
  return openTested(mariadb);
}

/** Asks the server again and again until the condition holds; a test that waits in vain is ended by the runner. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(setImmediate);
}
