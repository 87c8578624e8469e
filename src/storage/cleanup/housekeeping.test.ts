/** The hourly sweeps on every database: what they delete, and that none runs once they are closed. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { HOUR_MS } from '#base/time.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { createProbeStore } from '../statistics/probes.ts';
import { Housekeeping } from './housekeeping.ts';

const startMs = Date.UTC(2026, 0, 1);

for (const tested of testedDatabases) {
  describe(`housekeeping on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;

    before(async () => {
      opened = await openTested(tested);
    });
    after(() => opened?.drop());

    const probes = async () => Number((await opened.db.knex('probe_buckets').count({ rows: '*' }))[0]?.rows);

    test('closing waits for the sweep under way and begins no other', async () => {
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

    test('a sweep that fails does not hold up the others, and is retried an hour later', async () => {
      const { db } = opened;
      const clock = new ManualClock(startMs + 40 * 24 * HOUR_MS);
      const failures: string[] = [];
      const log = { ...silent, error: (_: object, sentence: string) => void failures.push(sentence) };
      await db.knex('probe_buckets').delete();
      await createProbeStore(db).record({ model: 'tide', atMs: startMs, outcome: 'done', queueMs: 1, pipelineMs: 1 });
      await db.knex('request_logs').insert({ order_id: 'o', account_id: 'a', body: '{}', expires_at_ms: startMs });
      await db.knex.schema.renameTable('model_tokens', 'away');
      const housekeeping = new Housekeeping({ db, clock, log });
      try {
        await clock.advance(HOUR_MS);
        while (housekeeping.busy) await new Promise((resolve) => setImmediate(resolve));
        assert.deepEqual([failures, await probes()], [['Old statistics could not be deleted; trying later.'], 1]);
        assert.deepEqual(await db.knex('request_logs'), []);
        await db.knex.schema.renameTable('away', 'model_tokens');
        await clock.advance(HOUR_MS);
        while (housekeeping.busy) await new Promise((resolve) => setImmediate(resolve));
        assert.deepEqual([failures.length, await probes()], [1, 0]);
      } finally {
        await housekeeping.close();
      }
    });
  });
}

const silent = { debug() {}, info() {}, warn() {} };
