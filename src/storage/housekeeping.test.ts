/** The hourly sweeps on every database: what they delete, and that none is under way once they are closed. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { Housekeeping } from './housekeeping.ts';
import { createProbeStore } from './probes.ts';

const HOUR_MS = 3_600_000;
const startMs = Date.UTC(2026, 0, 1);

for (const tested of testedDatabases) {
  describe(`housekeeping on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;

    before(async () => {
      opened = await openTested(tested);
    });
    after(() => opened?.drop());

    const probes = async () => Number((await opened.db.knex('probe_buckets').count({ rows: '*' }))[0]?.rows);

    test('the sweep under way at the end is waited for, and no other is begun', async () => {
      const { db } = opened;
      const clock = new ManualClock(startMs + 40 * 24 * HOUR_MS);
      const recordOld = () =>
        createProbeStore(db).record({ model: 'tide', atMs: startMs, outcome: 'done', queueMs: 1, pipelineMs: 1 });
      await recordOld();
      const housekeeping = new Housekeeping({ db, clock, log: silentLog });
      await clock.advance(HOUR_MS);
      await housekeeping.close();
      assert.equal(await probes(), 0);
      await recordOld();
      await clock.advance(2 * HOUR_MS);
      assert.equal(await probes(), 1);
      assert.equal(clock.pending, 0);
    });
  });
}
