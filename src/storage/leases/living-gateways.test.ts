/** That a start, or a command, which is refused has changed nothing in the database of the gateway that lives. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { schemaOf } from '#testing/database-text.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { leaseStates } from '../database/migrations/0061_lease_states.ts';
import { DatabaseRefused } from '../database/refusal.ts';
import { bringUpToDate } from './living-gateways.ts';
import { type ServingRight, takeServing } from './serving.ts';

const peer = { address: 'host:1', protocol: 1, listingHash: 'hash' };
const OLDER_LIVES = /a gateway of another version serves it \(process \d+ on .+\); stop that one/;

for (const tested of testedDatabases) {
  describe(`a refused start on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    let living: { readonly right: ServingRight; readonly db: Database } | null;
    let beating: NodeJS.Timeout | null;

    beforeEach(async () => {
      opened = await openTested(tested);
      [living, beating] = [null, null];
    });
    afterEach(async () => {
      await end();
      if (beating) clearInterval(beating);
      await opened.drop();
    });

    const start = (parts: { readonly peer: typeof peer | null }) =>
      takeServing(opened.db, { clock: systemClock, log: silentLog, ...parts });

    /** Makes the tables those of the version before. */
    async function age(): Promise<void> {
      const { knex } = opened.db;
      await knex('migrations').where({ id: leaseStates.id }).delete();
      await knex.raw('ALTER TABLE leases DROP COLUMN state');
    }

    /** A gateway lives; on a server it is one on another machine, as the version before wrote it down. */
    async function live(lease = { name: 'gateway:single', holder: 'elsewhere' }): Promise<void> {
      const { address, knex } = opened.db;
      if (address.type === 'sqlite') {
        const db = openDatabase(opened.url);
        living = { right: await takeServing(db, { clock: systemClock, log: silentLog, peer: null }), db };
        return;
      }
      await knex('leases').insert({ ...lease, epoch: 5, process: 'web-9 4711 1 another-boot pid:[1]' });
      const sql =
        'INSERT INTO beats (gateway, beat_at) VALUES (?, UTC_TIMESTAMP(3)) ON DUPLICATE KEY UPDATE beat_at = UTC_TIMESTAMP(3)';
      const beat = async () => {
        await knex.raw(sql, [lease.holder]);
      };
      await beat();
      beating = setInterval(() => void beat(), 200);
    }

    async function end(): Promise<void> {
      await living?.right.release();
      await living?.db.close();
      living = null;
    }

    async function everything() {
      const tables = ['migrations', 'leases', 'counters'];
      return {
        schema: await schemaOf(opened.db),
        rows: await Promise.all(tables.map((table) => opened.db.knex(table))),
      };
    }

    test('leaves the tables of a gateway of another version as they were', async () => {
      await live();
      await age();
      const before = await everything();
      const isServer = opened.db.address.type === 'mysql';
      await assert.rejects(start({ peer: null }), isServer ? OLDER_LIVES : DatabaseRefused);
      await assert.rejects(start({ peer }), isServer ? OLDER_LIVES : DatabaseRefused);
      await assert.rejects(bringUpToDate(opened.db), OLDER_LIVES);
      assert.deepEqual(await everything(), before);
    });

    test('leaves the tables of a gateway beside which it cannot serve as they were', async () => {
      await live({ name: 'gateway:7', holder: '7' });
      const before = await everything();
      await assert.rejects(start({ peer: null }), DatabaseRefused);
      await assert.rejects(start({ peer }), DatabaseRefused);
      assert.deepEqual(await everything(), before);
    });

    test('is tried again once the other has ended, and then brings the tables up to date', async () => {
      await live();
      await age();
      await end();
      if (beating) clearInterval(beating);
      if (opened.db.address.type === 'mysql')
        await opened.db.knex.raw('UPDATE beats SET beat_at = beat_at - INTERVAL 20 SECOND');
      const right = await start({ peer: null });
      await right.started();
      assert.deepEqual(await bringUpToDate(opened.db), []);
      assert.equal(await opened.db.knex('leases').where({ name: 'gateway:single' }).first(), undefined);
      await right.release();
    });

    test('a command brings the tables up to date where no gateway lives, and leaves current ones alone', async () => {
      await age();
      assert.deepEqual(await bringUpToDate(opened.db), [leaseStates.id]);
      await live();
      assert.deepEqual(await bringUpToDate(opened.db), []);
    });
  });
}
