/** What gateways did, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { type LoadSpan, STATISTICS_BUCKET_MS } from '#observe/ports.ts';
import { type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { sweepStatistics } from '../cleanup/sweep-expired.ts';
import { openRun } from '../market/level-past.ts';
import { createLoadStore } from './gateway-load.ts';

const START_MS = Date.UTC(2026, 0, 10);

for (const tested of testedDatabases) {
  describe(`the load of gateways on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;

    before(async () => {
      opened = await openJournaled(tested, new ManualClock());
    });
    after(() => opened?.drop());

    const span = (widthMs: number, atMs: number, queued: number): LoadSpan => ({
      ...{ widthMs, atMs, looks: 6, queued, busySlots: 4, slots: 24, failed: 1, charged: 2n ** 60n },
      firstTokens: Uint8Array.of(0, 9, 0, 0, 0, 1),
      pods: { 'gpu-1': [5, 1, 0] },
    });
    const write = (boot: number, ...spans: LoadSpan[]) => opened.journal.write({ kind: 'gateway-load', boot, spans });

    test('spans of one width are read from a moment on, of every gateway, and replaced whole', async () => {
      const minute = span(MINUTE_MS, START_MS, 1);
      await write(1, span(MINUTE_MS, START_MS - MINUTE_MS, 9), minute, span(STATISTICS_BUCKET_MS, START_MS, 9));
      await write(2, minute);
      await write(1, { ...minute, queued: 5 });
      const store = createLoadStore(opened.db);
      const found = await store.figures(MINUTE_MS, START_MS);
      assert.deepEqual(found.map(({ queued }) => queued).toSorted(), [1, 5]);
      const { pods: _pods, firstTokens, ...figures } = minute;
      assert.partialDeepStrictEqual(
        found.find(({ queued }) => queued === 1),
        figures,
      );
      assert.deepEqual(Buffer.from(found[0]?.firstTokens ?? []), Buffer.from(firstTokens));
      assert.deepEqual(await store.pods(STATISTICS_BUCKET_MS, START_MS), [
        { atMs: START_MS, pods: { 'gpu-1': [5, 1, 0] } },
      ]);
    });

    test('minutes are swept after two hours, quarters of an hour after eight days', async () => {
      const store = createLoadStore(opened.db);
      await sweepStatistics(opened.db, START_MS + 3 * HOUR_MS);
      assert.deepEqual(await store.figures(MINUTE_MS, 0), []);
      assert.equal((await store.figures(STATISTICS_BUCKET_MS, 0)).length, 1);
      await sweepStatistics(opened.db, START_MS + 9 * DAY_MS);
      assert.deepEqual(await store.figures(STATISTICS_BUCKET_MS, 0), []);
    });

    test('of more rows than one chart takes the newest are read', async () => {
      const { db } = opened;
      await write(1, span(STATISTICS_BUCKET_MS, START_MS, 7));
      const row = await db.knex('gateway_load').where({ at_ms: START_MS }).first();
      const older = Array.from({ length: 16 * 7 * 24 * 4 }, (_, n) => ({ ...row, at_ms: n, pods: '{}' }));
      await db.knex.batchInsert('gateway_load', older, 400);
      const found = await createLoadStore(db).figures(STATISTICS_BUCKET_MS, 0);
      assert.equal(found.length, older.length);
      assert.ok(found.some(({ atMs }) => atMs === START_MS));
      await db.knex('gateway_load').delete();
    });

    test('the gateway marks a start as a deploy when its version differs from that of the start before and both are known', async () => {
      for (const [boot, version] of [null, '1.0.0', '1.0.0', '1.1.0'].entries())
        await openRun(opened.db, boot + 1, START_MS + boot, version);
      assert.deepEqual(await createLoadStore(opened.db).starts(START_MS + 1), [
        { atMs: START_MS + 1, version: '1.0.0', isNewVersion: false },
        { atMs: START_MS + 2, version: '1.0.0', isNewVersion: false },
        { atMs: START_MS + 3, version: '1.1.0', isNewVersion: true },
      ]);
    });
  });
}
