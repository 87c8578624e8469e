/** One gateway per SQLite file: which one serves, and how the other ends. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { silentLog } from '#base/log.ts';
import { nextBootEpoch, type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { openDatabase } from '../database/database.ts';
import { DatabaseInUse, DatabaseMissing } from '../database/refusal.ts';
import { createJournal } from '../journal/journal.ts';
import { recover } from '../orders/recovery.ts';
import { LeaseLost } from './fence.ts';
import { FileMoved } from './file-place.ts';
import { reportLeases } from './report.ts';
import { type ServingRight, takeServing } from './serving.ts';

/** A process that serves, says so, and stays. */
const HOLDER = `
const { openDatabase } = await import(${JSON.stringify(import.meta.resolve('../database/database.ts'))});
const { takeServing } = await import(${JSON.stringify(import.meta.resolve('./serving.ts'))});
const { systemClock } = await import(${JSON.stringify(import.meta.resolve('#base/clock.ts'))});
await takeServing(openDatabase(process.env.HELD_DATABASE), { clock: systemClock, log: console, peer: null });
gc();
console.log('held');
`;

describe('the place of a gateway in a SQLite file', () => {
  let opened: OpenedDatabase;
  let filename: string;
  let clock: ManualClock;
  let child: ChildProcess | null = null;
  let releases: (() => Promise<void>)[];

  beforeEach(async () => {
    const sqlite = testedDatabases.find(({ name }) => name === 'SQLite');
    assert.ok(sqlite);
    opened = await openTested(sqlite);
    filename = opened.url.replace('sqlite:', '');
    clock = new ManualClock();
    releases = [];
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    for (const release of releases) await release();
    await opened.drop();
  });

  /** Starts to serve as a process does: with a database of its own. */
  async function serve(url = opened.url): Promise<ServingRight> {
    const db = openDatabase(url);
    releases.push(() => db.close());
    const right = await takeServing(db, { clock, log: silentLog, peer: null });
    releases.push(() => right.release());
    return right;
  }

  /** Writes into the file that a process of another machine or container serves it. */
  const serveElsewhere = () =>
    opened.db
      .knex('leases')
      .insert({ name: 'gateway:1', epoch: 1, holder: '1', state: 'serving', process: 'web-9 7 1 other-boot pid:[1]' });

  test('a second gateway is refused while the first one serves, learns which that is, and succeeds after it', async () => {
    const first = await serve();
    await assert.rejects(serve(), (error: unknown) => {
      assert.ok(error instanceof DatabaseInUse);
      assert.match(error.reason, new RegExp(`another gateway serves it \\(process ${process.pid} on `));
      return true;
    });
    await first.release();
    assert.equal((await serve()).gateway, first.gateway + 1);
  });

  test('it does not block writers beside the gateway', async () => {
    await serve();
    await opened.db.knex('counters').insert({ name: 'beside', value: 1 });
  });

  test('a gateway that was killed is followed at once, while a command has the file open', async () => {
    child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', HOLDER], {
      env: { ...process.env, HELD_DATABASE: opened.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.ok(child.stdout);
    await once(child.stdout, 'data');
    await assert.rejects(serve(), DatabaseInUse);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    await opened.db.knex('accounts').first();
    await serve();
  });

  test('a file with two names has one gateway', async () => {
    symlinkSync(filename, `${filename}.other`);
    await serve();
    await assert.rejects(serve(`${opened.url}.other`), DatabaseInUse);
  });

  test('a gateway of another machine or container counts as long as somebody has the file open', async () => {
    await serveElsewhere();
    await assert.rejects(serve(), DatabaseInUse);
    await opened.db.close();
    const right = await serve();
    await right.release();
  });

  test('a copy of a file that is served has a gateway of its own', async () => {
    await serve();
    await opened.db.knex.raw('VACUUM INTO ?', [`${filename}.copy`]);
    await serve(`${opened.url}.copy`);
  });

  test('a gateway commits nothing once another one has raised the epoch, and learns it', async () => {
    const right = await serve();
    const journal = createJournal(opened.db, { clock, log: silentLog, fence: right.fence });
    const level = { kind: 'level', model: 'tide-70b', level: 500_000_000, atMs: clock.nowMs() } as const;
    await journal.write({ ...level, levelSeq: 1 });
    // A gateway of version 0.1.0 does not look for this one.
    await nextBootEpoch(opened.db);
    const late = assert.rejects(journal.write({ ...level, levelSeq: 2 }));
    assert.ok((await right.lost) instanceof LeaseLost);
    const { gateway: bootEpoch, fence } = right;
    await assert.rejects(recover(opened.db, { bootEpoch, clock, fence }), LeaseLost);
    await journal.close();
    await late;
    assert.equal((await opened.db.knex('levels')).length, 1);
  });

  test('a gateway of version 0.1.0 has a lock beside the file; what a killed one left is removed', async () => {
    const lock = new Sqlite(`${filename}.lock`);
    lock.exec('BEGIN EXCLUSIVE');
    await assert.rejects(serve(), DatabaseInUse);
    lock.close();
    await serve();
    assert.equal(existsSync(`${filename}.lock`), false);
  });

  test('its process is in the file while it serves', async () => {
    const right = await serve();
    assert.match((await reportLeases(opened.db)).map((lease) => lease.process).join(), new RegExp(` ${process.pid} `));
    await right.release();
    assert.deepEqual(await reportLeases(opened.db), []);
  });

  test('a file that is moved is missed within a second, and one that is moved back does not bring it back', async () => {
    const right = await serve();
    assert.equal(right.check(), true);
    renameSync(filename, `${filename}.moved`);
    await clock.advance(1_000);
    const why = await right.lost;
    assert.ok(why instanceof FileMoved && why.keeps);
    assert.match(why.reason, /\.moved while this gateway served it; move it back/);
    renameSync(`${filename}.moved`, filename);
    assert.equal(right.check(), false);
  });

  test('a file whose log is deleted has every commit at once, before the gateway ends', async () => {
    const right = await serve();
    await opened.db.knex('counters').insert({ name: 'written', value: 7 });
    rmSync(`${filename}-wal`);
    assert.equal(right.check(), false);
    copyFileSync(filename, `${filename}.killed`);
    const killed = new Sqlite(`${filename}.killed`);
    assert.deepEqual(killed.prepare("SELECT value FROM counters WHERE name = 'written'").get(), { value: 7 });
    killed.close();
  });

  test('a deleted file that has another name is rescued', async () => {
    const right = await serve();
    linkSync(filename, `${filename}.other`);
    rmSync(filename);
    assert.equal(right.check(), false);
    const why = await right.lost;
    assert.ok(why instanceof FileMoved && !why.keeps);
    assert.match(why.reason, /was deleted while .* what it held is in .*\.rescued-\d+/);
  });

  test('a file that is deleted just before the gateway ends is rescued', async () => {
    const right = await serve();
    rmSync(filename);
    await right.release();
    const why = await right.lost;
    assert.ok(why instanceof FileMoved);
    const [copy = ''] = /(?<=what it held is in )\S+rescued-\d+/.exec(why.reason) ?? [];
    assert.ok(existsSync(copy));
  });

  test('no start makes an empty database in the place of one that was moved, or deleted and rescued', async () => {
    const right = await serve();
    renameSync(filename, `${filename}.other`);
    right.check();
    assert.throws(() => openDatabase(opened.url), DatabaseMissing);
    renameSync(`${filename}.other`, filename);
    await openDatabase(opened.url).close();
  });

  test('what a deleted file held is written later where its folder cannot be written yet', async () => {
    const folder = join(`${filename}.above`, 'folder');
    mkdirSync(folder, { recursive: true });
    const right = await serve(`sqlite:${folder}/kept.sqlite`);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    assert.equal(right.check(), false);
    const why = await right.lost;
    assert.ok(why instanceof FileMoved && why.rescue);
    assert.match(why.reason, /could not be written to .*free space/);
    const [spare] = /(?<=but is in )\S+rescued-\d+/.exec(why.reason) ?? [];
    assert.equal(dirname(spare ?? ''), dirname(folder), 'the nearest folder that can be written');
    assert.equal(why.rescue.spare(), spare);
    // Nobody else has the file any more: the end of the gateway must not close it.
    await right.release();
    rmSync(folder);
    await clock.advance(5_000);
    const saved = await why.rescue.saved;
    assert.equal(dirname(saved), folder);
    assert.ok(existsSync(saved));
    rmSync(`${filename}.above`, { recursive: true });
  });
});
