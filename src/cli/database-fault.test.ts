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
  assert.match(
    databaseFault(failure('ER_OPTION_PREVENTS_STATEMENT'), URL) ?? '',
    /cannot be used: it is read-only, as a replica is; set DATABASE_URL to the primary\.$/,
  );
  assert.match(databaseFault(failure('SQLITE_BUSY_SNAPSHOT'), 'sqlite:a') ?? '', /has locked it/);
  assert.match(databaseFault(failure('PROTOCOL_SEQUENCE_TIMEOUT'), URL) ?? '', /cannot be used: it stopped answering/);
});

test('a right that is missing is named, and a user who may not change tables is sent to migrate', () => {
  const denied = (right: string) =>
    failure(
      'ER_TABLEACCESS_DENIED_ERROR',
      `a statement - ${right} command denied to user 'a'@'b' for table \`c\`.\`d\``,
    );
  assert.match(
    databaseFault(denied('DELETE'), URL) ?? '',
    /cannot be used: this user lacks the right to DELETE; grant SELECT, INSERT, UPDATE and DELETE on the database\.$/,
  );
  for (const right of ['CREATE', 'ALTER', 'INDEX'])
    assert.match(
      databaseFault(denied(right), URL) ?? '',
      new RegExp(`lacks the right to ${right}, which changes of tables need; run \`sluice migrate\` once with`),
    );
});

test('a database that another gateway serves is refused by its name, and that gateway by its process', () => {
  assert.equal(
    databaseFault(new DatabaseInUse('process 4711 on web-1'), URL),
    'The database mysql://root:***@db.local/sluice cannot be used: another gateway serves it (process 4711 on web-1); ' +
      'stop that one, or set DATABASE_URL to another.',
  );
  assert.match(databaseFault(new LeaseLost(), URL) ?? '', /another gateway has taken it over; stop one of the two\.$/);
});

test('the error of a failed statement names its purpose and cause, not its values', () => {
  const sentence = (sql: string, cause = "'x' isn't in GROUP BY.") =>
    databaseFault(failure('ER_WRONG_FIELD_WITH_GROUP', `${sql} - ${cause}`), 'mysql://root:secret@h/d');
  assert.equal(
    sentence("select a - b from `orders` where x = 'sk-secret - y'"),
    'The database mysql://root:***@h/d refused a statement that reads orders: ER_WRONG_FIELD_WITH_GROUP, ' +
      "'x' isn't in GROUP BY.",
  );
  for (const [sql, does] of [
    ['insert into "members" ("id") values (1)', 'writes members'],
    ['\n  UPDATE usage_records SET key_id = (SELECT orders.key_id FROM orders)', 'changes usage_records'],
    ['delete from `member_links`', 'deletes from member_links'],
    ['CREATE TABLE IF NOT EXISTS members (id INT)', 'changes the table members'],
    ['ALTER TABLE files ADD COLUMN key_id VARCHAR(64) NULL', 'changes the table files'],
    ['WITH a AS (select 1 from `entries`) select * from a', 'reads entries'],
  ] as const)
    assert.ok(sentence(sql)?.includes(`refused a statement that ${does}: ER_`), sql);
});

test('a failure of no statement that is known keeps the message of the driver', () => {
  assert.equal(
    databaseFault(failure('SQLITE_TOOBIG', 'string or blob too big'), 'sqlite:a'),
    'The database sqlite:a refused a statement: SQLITE_TOOBIG, string or blob too big.',
  );
  assert.equal(
    databaseFault(failure('ER_LOCK_DEADLOCK', 'select 1 - Deadlock found.'), 'mysql://h/d'),
    'The database mysql://h/d refused a statement: ER_LOCK_DEADLOCK, Deadlock found.',
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
