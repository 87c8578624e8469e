import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseFault } from './database-fault.ts';

const URL = 'mysql://root:secret@db.local/sluice';

function failure(code: string, message = 'words'): Error {
  return Object.assign(new Error(message), { code });
}

test('a known failure names the database, its cause and the mend', () => {
  assert.equal(
    databaseFault(failure('ECONNREFUSED'), URL),
    'The database mysql://root:***@db.local/sluice cannot be used: nobody answers there; start it, or correct DATABASE_URL.',
  );
  assert.match(databaseFault(failure('SQLITE_BUSY_SNAPSHOT'), 'sqlite:a') ?? '', /holds it locked/);
});

test('another failure of the database keeps its own words, without the statement', () => {
  assert.equal(
    databaseFault(failure('ER_LOCK_DEADLOCK', 'select 1 - Deadlock found.'), 'mysql://h/d'),
    'The database mysql://h/d cannot be used: ER_LOCK_DEADLOCK, Deadlock found.',
  );
});

test('what is not the fault of the database is not blamed on it', () => {
  assert.equal(databaseFault(failure('EADDRINUSE'), URL), null);
  assert.equal(databaseFault(new Error('words'), URL), null);
  assert.equal(databaseFault('words', URL), null);
});
