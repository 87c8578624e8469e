import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseInUse } from '#storage/database/refusal.ts';
import { LeaseLost } from '#storage/leases/fence.ts';
import { databaseFault, withoutPassword } from './operator-store.ts';

const URL = 'mysql://root:secret@db.local/sluice';

function failure(code: string, message = 'words'): Error {
  return Object.assign(new Error(message), { code });
}

test('a known error names the database, the cause and what to do', () => {
  assert.equal(
    databaseFault(failure('ECONNREFUSED'), URL),
    'The database mysql://root:***@db.local/sluice cannot be used: no server answers there; start it, or correct DATABASE_URL.',
  );
  assert.match(databaseFault(failure('SQLITE_BUSY_SNAPSHOT'), 'sqlite:a') ?? '', /has locked it/);
  assert.match(databaseFault(failure('PROTOCOL_SEQUENCE_TIMEOUT'), URL) ?? '', /cannot be used: it stopped answering/);
});

test('a database that another gateway serves is refused by its name, and that gateway by its process', () => {
  assert.equal(
    databaseFault(new DatabaseInUse('process 4711 on web-1'), URL),
    'The database mysql://root:***@db.local/sluice cannot be used: another gateway serves it (process 4711 on web-1); ' +
      'stop that one, or set DATABASE_URL to another.',
  );
  assert.match(databaseFault(new LeaseLost(), URL) ?? '', /another gateway has taken it over; stop one of the two\.$/);
});

test('another error of the database keeps its own message, without the statement', () => {
  assert.equal(
    databaseFault(failure('ER_LOCK_DEADLOCK', 'select 1 - Deadlock found.'), 'mysql://h/d'),
    'The database mysql://h/d cannot be used: ER_LOCK_DEADLOCK, Deadlock found.',
  );
});

test('a message of the driver without a statement is kept whole', () => {
  assert.match(
    databaseFault(failure('SQLITE_TOOBIG', 'string or blob too big'), 'sqlite:a') ?? '',
    /string or blob too big\.$/,
  );
});

test('a password is never shown, whatever it contains', () => {
  assert.equal(withoutPassword('mysql://root:p@ss@db.local/sluice'), 'mysql://root:***@db.local/sluice');
  assert.equal(withoutPassword('sqlite:data/a@b.sqlite'), 'sqlite:data/a@b.sqlite');
});

test('other errors are not reported as errors of the database', () => {
  assert.equal(databaseFault(failure('EADDRINUSE'), URL), null);
  assert.equal(databaseFault(new Error('words'), URL), null);
  assert.equal(databaseFault('words', URL), null);
});
