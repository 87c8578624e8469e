/** One gateway per database, and which one is next. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { openDatabase } from './database.ts';
import { DatabaseInUse, lockForServing } from './lock.ts';

/** A process that takes the lock, prints so, and stays. */
const HOLDER = `
const { openDatabase } = await import(${JSON.stringify(import.meta.resolve('./database.ts'))});
const { lockForServing } = await import(${JSON.stringify(import.meta.resolve('./lock.ts'))});
const { systemClock } = await import(${JSON.stringify(import.meta.resolve('#base/clock.ts'))});
await lockForServing(openDatabase(process.env.HELD_DATABASE), { clock: systemClock, log: console });
console.log('held');
setInterval(() => {}, 1000);
`;

for (const tested of testedDatabases) {
  describe(`the right to serve a database on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    let child: ChildProcess | null = null;
    const parts = { clock: new ManualClock(), log: silentLog };

    beforeEach(async () => {
      opened = await openTested(tested);
    });
    afterEach(async () => {
      child?.kill('SIGKILL');
      await opened.drop();
    });

    test('a second gateway is refused while the first one holds it, and succeeds after that', async () => {
      const lock = await lockForServing(opened.db, parts);
      await assert.rejects(lockForServing(opened.db, parts), DatabaseInUse);
      await lock.release();
      await (await lockForServing(opened.db, parts)).release();
    });

    test('it does not block writers beside the gateway', async () => {
      const lock = await lockForServing(opened.db, parts);
      const beside = openDatabase(opened.url);
      await beside.knex('counters').insert({ name: 'beside', value: 1 });
      await beside.close();
      await lock.release();
    });

    test('a killed process releases it', async () => {
      child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER], {
        env: { ...process.env, HELD_DATABASE: opened.url },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      assert.ok(child.stdout);
      await once(child.stdout, 'data');
      await assert.rejects(lockForServing(opened.db, parts), DatabaseInUse);
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      await (await lockForServing(opened.db, parts)).release();
    });

    test('a database with two names has one lock', { skip: tested.name !== 'SQLite' && 'a file' }, async () => {
      const name = `${opened.url.replace('sqlite:', '')}.other`;
      await symlink(opened.url.replace('sqlite:', ''), name);
      const lock = await lockForServing(opened.db, parts);
      const other = openDatabase(`sqlite:${name}`);
      await assert.rejects(lockForServing(other, parts), DatabaseInUse);
      await other.close();
      await lock.release();
    });

    test('a broken connection takes it again, and reports when another gateway was faster', {
      skip: tested.name === 'SQLite' && 'no connection can break',
    }, async () => {
      const clock = new ManualClock();
      const lock = await lockForServing(opened.db, { clock, log: silentLog });
      await breakHolder();
      await clock.advance(5000);
      await untilHeld(true, clock);
      await breakHolder();
      const faster = await lockForServing(opened.db, parts);
      let lost = false;
      void lock.lost.then(() => {
        lost = true;
      });
      while (!lost) {
        await clock.advance(5000);
        await new Promise(setImmediate);
      }
      await faster.release();
      await lock.release();
    });

    async function holder(): Promise<number | null> {
      const [rows] = await opened.db.knex.raw(
        "SELECT IS_USED_LOCK(CONCAT('sluice.serve.', MD5(DATABASE()))) AS holder",
      );
      return rows[0].holder === null ? null : Number(rows[0].holder);
    }

    async function breakHolder(): Promise<void> {
      await opened.db.knex.raw(`KILL ${await holder()}`);
      await untilHeld(false, null);
    }

    async function untilHeld(held: boolean, clock: ManualClock | null): Promise<void> {
      while (((await holder()) !== null) !== held) await clock?.advance(5000);
    }
  });
}
