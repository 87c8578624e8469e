/** One gateway per SQLite file, and which one is next. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { openDatabase } from './database.ts';
import { lockFile } from './file-lock.ts';
import { DatabaseInUse } from './refusal.ts';

/** A process that takes the lock, keeps nothing of it, prints so, and stays. */
const HOLDER = `
const { lockFile } = await import(${JSON.stringify(import.meta.resolve('./file-lock.ts'))});
lockFile(process.env.HELD_FILE);
gc();
console.log('held');
setInterval(() => {}, 1000);
`;

describe('the lock of a SQLite file', () => {
  let opened: OpenedDatabase;
  let filename: string;
  let child: ChildProcess | null = null;

  beforeEach(async () => {
    const sqlite = testedDatabases.find(({ name }) => name === 'SQLite');
    assert.ok(sqlite);
    opened = await openTested(sqlite);
    filename = opened.url.replace('sqlite:', '');
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await opened.drop();
  });

  test('a second gateway is refused while the first one holds it, and succeeds after that', () => {
    const lock = lockFile(filename);
    assert.throws(() => lockFile(filename), DatabaseInUse);
    lock.release();
    lockFile(filename).release();
  });

  test('it does not block writers beside the gateway', async () => {
    const lock = lockFile(filename);
    const beside = openDatabase(opened.url);
    await beside.knex('counters').insert({ name: 'beside', value: 1 });
    await beside.close();
    lock.release();
  });

  test('a killed process releases it', async () => {
    child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', HOLDER], {
      env: { ...process.env, HELD_FILE: filename },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.ok(child.stdout);
    await once(child.stdout, 'data');
    assert.throws(() => lockFile(filename), DatabaseInUse);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    lockFile(filename).release();
  });

  test('a file with two names has one lock', async () => {
    const name = `${filename}.other`;
    await symlink(filename, name);
    const lock = lockFile(filename);
    assert.throws(() => lockFile(name), DatabaseInUse);
    lock.release();
  });
});
