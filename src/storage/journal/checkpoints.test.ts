/** What is in the database file alone, without its log, says whether a checkpoint was made. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { until } from '#testing/until.ts';
import { Checkpoints } from './checkpoints.ts';

let folder: string;
let file: string;
let database: Sqlite.Database;
let checkpoints: Checkpoints;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-checkpoints-'));
  file = join(folder, 'a.sqlite');
  database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('wal_autocheckpoint = 0');
  database.exec('CREATE TABLE words (word TEXT)');
  database.pragma('wal_checkpoint(TRUNCATE)');
  checkpoints = new Checkpoints(file);
});
afterEach(async () => {
  await checkpoints.close();
  database.close();
  rmSync(folder, { recursive: true });
});

function insert(count: number): void {
  const statement = database.prepare("INSERT INTO words VALUES ('rivers')");
  for (let done = 0; done < count; done++) statement.run();
}

function inFileAlone(): number {
  const copy = join(folder, 'copy.sqlite');
  copyFileSync(file, copy);
  const opened = new Sqlite(copy);
  const { words } = opened.prepare<[], { words: number }>('SELECT count(*) AS words FROM words').get() ?? { words: 0 };
  opened.close();
  return words;
}

test('a checkpoint follows 128 units, also in the middle of a transaction, and not fewer', async () => {
  insert(100);
  checkpoints.committed(127);
  await checkpoints.close();
  assert.equal(inFileAlone(), 0);
  database.exec('BEGIN IMMEDIATE');
  insert(50);
  checkpoints.committed(1);
  await until(async () => inFileAlone() === 100);
  database.exec('COMMIT');
});

test('a thread that ended is replaced by the next checkpoint', async () => {
  insert(1);
  checkpoints.committed(128);
  await checkpoints.close();
  assert.equal(inFileAlone(), 1);
  insert(1);
  checkpoints.committed(128);
  await until(async () => inFileAlone() === 2);
});

test('a file that is gone ends the thread and nothing else', async () => {
  const gone = new Checkpoints(join(folder, 'gone.sqlite'));
  gone.committed(128);
  await gone.close();
});
