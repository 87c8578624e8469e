/** Which servers keep two gateways apart, by what they answer about themselves. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { DatabaseRefused } from '../database/refusal.ts';
import { checkRights, checkServer, unfencedServer } from './server-kind.ts';

const plain = { version: '10.11.19-MariaDB', wsrep_on: 'OFF' };
const galera = { version: '10.11.19-MariaDB', wsrep_on: 'ON', wsrep_sync_wait: '15' };
const locks = { fence: 'locks', warning: null };
const group = { version: '8.4.3', group_replication_group_name: 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa' };

const whatIs = (facts: Readonly<Record<string, string>>) =>
  unfencedServer(new Map(Object.entries(facts)))?.what ?? null;

/** A database whose server gives these answers. */
function answering(facts: Readonly<Record<string, string>>): Database {
  const rows = Object.entries(facts).map(([name, Value]) => ({ Variable_name: name, Value }));
  return { knex: { raw: async () => [rows] } } as unknown as Database;
}

test('a server with one primary keeps them apart', () => {
  assert.equal(whatIs(plain), null);
  assert.equal(whatIs({ version: '8.4.3' }), null);
  assert.equal(whatIs({ ...group, group_replication_single_primary_mode: 'ON' }), null);
});

test('on a node of Galera the fence writes, and several gateways need reads that wait for other nodes', async () => {
  for (const several of [false, true])
    assert.deepEqual(await checkServer(answering(galera), several), { fence: 'writes', warning: null });
  const late = answering({ ...galera, wsrep_sync_wait: '6' });
  assert.equal((await checkServer(late, false)).fence, 'writes');
  await assert.rejects(checkServer(late, true), {
    reason: /reads do not wait .+; set wsrep_sync_wait = 15 under \[mysqld\]/,
  });
});

test('Group Replication with several primaries does not', () => {
  const facts = { ...group, group_replication_single_primary_mode: 'OFF' };
  assert.equal(whatIs(facts), 'Group Replication with several primaries');
  assert.equal(whatIs({ ...facts, group_replication_group_name: '' }), null, 'loaded, and not in use');
});

test('one gateway serves on such a cluster, with a warning', async () => {
  const { warning } = await checkServer(answering({ ...group, group_replication_single_primary_mode: 'OFF' }), false);
  assert.match(warning ?? '', /^The database is Group Replication with several primaries: .+ kept out\./);
});

test('several gateways do not serve on one, and the error names it', async () => {
  const several = { ...group, group_replication_single_primary_mode: 'OFF' };
  const need = 'several gateways need MySQL or MariaDB with one primary';
  for (const [facts, what] of [
    [several, 'Group Replication with several primaries'],
    [{ version: '8.0.11-TiDB-v7.5.0' }, 'TiDB, which has no shared row locks'],
  ] as const)
    await assert.rejects(checkServer(answering(facts), true), { reason: `it is ${what}; ${need}` });
  assert.deepEqual(await checkServer(answering(plain), true), locks);
});

test('TiDB is refused: it has no statement for the fence', async () => {
  await assert.rejects(checkServer(answering({ version: '8.0.11-TiDB-v7.5.0' }), false), (error: unknown) => {
    assert.ok(error instanceof DatabaseRefused);
    assert.match(error.reason, /^it is TiDB, /);
    return true;
  });
});

test('a server that takes too short a message is refused, with the variable, its value and what to do', async () => {
  const facts = { ...plain, max_allowed_packet: '4194304' };
  await assert.rejects(checkServer(answering(facts), false), {
    reason:
      'its max_allowed_packet is 4194304 bytes, and 16777216 (16 MiB) or more are needed; ' +
      'set max_allowed_packet = 16M under [mysqld] in the configuration of the server and restart it',
  });
  assert.deepEqual(await checkServer(answering({ ...plain, max_allowed_packet: '16777216' }), false), locks);
});

test('a server that cannot be used is refused with its fault and the fix', async () => {
  for (const [facts, reason] of [
    [{ version: '5.7.44-log' }, 'its version is 5.7.44-log; use MySQL 8.0.16, MariaDB 10.6 or a newer one'],
    [{ version: '8.0.15' }, 'its version is 8.0.15; use MySQL 8.0.16, MariaDB 10.6 or a newer one'],
    [
      { version: '5.5.5-10.3.39-MariaDB' },
      'its version is 5.5.5-10.3.39-MariaDB; use MySQL 8.0.16, MariaDB 10.6 or a newer one',
    ],
    [
      { read_only: 'ON' },
      'its read_only is ON, as on a replica; set DATABASE_URL to the primary, or end read_only there',
    ],
    [
      { super_read_only: '1' },
      'its super_read_only is 1, as on a replica; set DATABASE_URL to the primary, or end super_read_only there',
    ],
    [
      { innodb_read_only: 'ON' },
      'its innodb_read_only is ON, as on a replica; set DATABASE_URL to the primary, or end innodb_read_only there',
    ],
    [
      { sql_mode: 'ANSI' },
      "its sql_mode stays 'ANSI' for this user; let a session set it, as a proxy or firewall may not",
    ],
  ] as const)
    await assert.rejects(checkServer(answering({ ...plain, ...facts }), false), { reason });
  const sound = { read_only: 'OFF', super_read_only: '0', sql_mode: 'NO_ENGINE_SUBSTITUTION,STRICT_ALL_TABLES' };
  for (const version of ['5.5.5-10.11.19-MariaDB-log', '10.6.0-MariaDB', '11.8.9-MariaDB', '8.0.16', '9.7.4-2', 'odd'])
    assert.deepEqual(await checkServer(answering({ ...sound, version }), false), locks, version);
});

describe('a real server', { skip: skipMariadb }, () => {
  test('MariaDB says that it has one primary', async () => {
    const opened = await openMariadb();
    try {
      assert.deepEqual(await checkServer(opened.db, true), locks);
    } finally {
      await opened.drop();
    }
  });

  for (const right of ['INSERT', 'UPDATE', 'DELETE'])
    test(`a user without the right to ${right} is refused at the start`, async () => {
      const opened = await openMariadb();
      const user = new URL(opened.url);
      user.username = `lacks_${right.toLowerCase()}`;
      const name = `${user.username}@'127.0.0.1'`;
      await opened.db.knex.raw(`CREATE USER ${name}`);
      const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].filter((each) => each !== right);
      await opened.db.knex.raw(`GRANT ${rights.join(', ')} ON ${user.pathname.slice(1)}.* TO ${name}`);
      const db = openDatabase(user.href);
      try {
        // The sentence for it is in cli/operator-store.ts.
        await assert.rejects(checkRights(db), { code: 'ER_TABLEACCESS_DENIED_ERROR' });
      } finally {
        await db.close();
        await opened.db.knex.raw(`DROP USER ${name}`);
        await opened.drop();
      }
    });
});
