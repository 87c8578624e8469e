/** Sums of probes on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY_MS } from '#base/time.ts';
import type { ProbeResult } from '#observe/ports.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { sweepStatistics } from '../cleanup/sweep-expired.ts';
import { createProbeStore } from './probes.ts';

const startMs = Date.UTC(2026, 0, 1);
const QUARTER_MS = 900_000;
const window = { fromMs: startMs, toMs: startMs + DAY_MS, bucketMs: QUARTER_MS };

for (const tested of testedDatabases) {
  describe(`probes on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;

    before(async () => {
      opened = await openTested(tested);
    });
    after(() => opened?.drop());

    const store = () => createProbeStore(opened.db);
    const record = (model: string, change: Partial<ProbeResult> = {}) =>
      store().record({ model, atMs: startMs, outcome: 'done', queueMs: 100, pipelineMs: 400, ...change });

    test('the probes of a quarter of an hour are one bucket; failures count, but not in the times', async () => {
      await record('one');
      await record('one', { atMs: startMs + 1, queueMs: 300, pipelineMs: 150 });
      await record('one', { atMs: startMs + 2, outcome: 'crowded', queueMs: 200, pipelineMs: 0 });
      await record('one', { atMs: startMs + QUARTER_MS - 1, outcome: 'failed', queueMs: 9_000, pipelineMs: 9_000 });
      await record('one', { atMs: startMs + QUARTER_MS });
      const [first, second, ...rest] = await store().buckets(['one'], window);
      assert.deepEqual(first, {
        atMs: startMs,
        total: 4,
        failures: 1,
        done: 2,
        msMax: 500,
        queueMs: 600,
        queueMsMax: 300,
        pipelineMs: 550,
        pipelineMsMax: 400,
      });
      assert.deepEqual([second?.atMs, second?.total, rest.length], [startMs + QUARTER_MS, 1, 0]);
    });

    test('models are pooled, also in wider buckets, and others are left out', async () => {
      await record('two', { queueMs: 700 });
      await record('three', { atMs: startMs + 3 * QUARTER_MS, pipelineMs: 50 });
      await record('four');
      const pooled = await store().buckets(['two', 'three'], { ...window, bucketMs: 4 * QUARTER_MS });
      assert.deepEqual(
        pooled.map(({ atMs, total, queueMsMax, pipelineMs }) => [atMs, total, queueMsMax, pipelineMs]),
        [[startMs, 2, 700, 450]],
      );
    });

    test('the sums of a window are by model', async () => {
      await record('six', { queueMs: 700 });
      await record('six', { atMs: startMs + 5 * QUARTER_MS, outcome: 'failed' });
      await record('seven', { pipelineMs: 50 });
      await record('seven', { atMs: startMs + DAY_MS });
      const sums = await store().sums(['six', 'seven', 'none'], window);
      assert.deepEqual(
        sums
          .map(({ model, total, failures, queueMsMax, pipelineMs }) => [
            ...[model, total, failures, queueMsMax, pipelineMs],
          ])
          .sort(),
        [
          ['seven', 1, 0, 100, 50],
          ['six', 2, 1, 700, 400],
        ],
      );
    });

    test('days are summed as well, and kept for ninety of them', async () => {
      await record('eight', { queueMs: 700 });
      await record('eight', { atMs: startMs + 5 * QUARTER_MS, outcome: 'failed' });
      await record('eight', { atMs: startMs + DAY_MS, pipelineMs: 50 });
      const days = async () => {
        const read = await store().buckets(['eight'], { ...window, toMs: startMs + 90 * DAY_MS, bucketMs: DAY_MS });
        return read.map(({ atMs, total, failures, msMax }) => [atMs, total, failures, msMax]);
      };
      assert.deepEqual(await days(), [
        [startMs, 2, 1, 1100],
        [startMs + DAY_MS, 1, 0, 150],
      ]);
      await sweepStatistics(opened.db, startMs + 91 * DAY_MS);
      assert.equal((await days()).length, 2);
      await sweepStatistics(opened.db, startMs + 91 * DAY_MS + 1);
      assert.equal((await days()).length, 1);
    });

    test('buckets older than every range are swept', async () => {
      await record('five');
      await record('five', { atMs: startMs + DAY_MS });
      await sweepStatistics(opened.db, startMs + 32 * DAY_MS);
      const left = await store().buckets(['five'], { ...window, toMs: startMs + 2 * DAY_MS });
      assert.deepEqual(
        left.map(({ atMs }) => atMs),
        [startMs + DAY_MS],
      );
    });
  });
}
