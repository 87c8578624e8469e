/** When the recorder reads and writes, with a past and a journal that the test delays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalPort } from '#base/journal.ts';
import { silentLog } from '#base/log.ts';
import { MINUTE_MS } from '#base/time.ts';
import { meanOf } from '#market/data/level-candles.ts';
import { LevelChart } from '#market/data/level-chart.ts';
import type { JournalUnit } from '#storage/journal/units.ts';
import { bucketsOf } from '#testing/charts.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { LevelRecorder } from './level-recorder.ts';
import type { LevelPast, LevelUnits } from './ports.ts';

test('the past is read soon after a start, before it is requested, and only once', async () => {
  const clock = new ManualClock();
  const asked: string[] = [];
  const past: LevelPast = {
    async *blocks(model, { widthMs }) {
      if (widthMs === MINUTE_MS) asked.push(model);
      yield [];
    },
    async *changes() {},
    unfinished: async () => null,
    runs: async () => [],
  };
  const journal = { write: () => Promise.reject(new Error('nothing is written here')), stalled: false };
  const recorder = new LevelRecorder({ models: ['tide', 'ebb'], past, journal, clock, log: silentLog, bootEpoch: 1 });
  assert.deepEqual(asked, []);
  await clock.advance(1000);
  await recorder.chart('tide');
  await clock.advance(1000);
  assert.deepEqual(asked, ['tide', 'ebb']);
  await recorder.chart('ebb');
  assert.deepEqual(asked, ['tide', 'ebb']);
  await recorder.close().catch(() => {});
  assert.equal(clock.pending, 0);
});

test('the past is read only after recovery is written, however long that takes', async () => {
  const clock = new ManualClock();
  const did: string[] = [];
  const found = Promise.withResolvers<void>();
  const past: LevelPast = {
    async *blocks(_model, { beforeBoot }) {
      did.push(beforeBoot === 3 ? 'read' : 'cut off');
      yield [];
    },
    async *changes() {},
    async unfinished() {
      await found.promise;
      return { boot: 1, fromMs: 0, untilMs: 0, inBlocks: true, lastSignMs: 1000 };
    },
    runs: async () => [],
  };
  const write = async ({ kind }: JournalUnit) => void did.push(kind);
  const journal = { write, stalled: false } as unknown as JournalPort<LevelUnits>;
  const recorder = new LevelRecorder({ models: ['tide'], past, journal, clock, log: silentLog, bootEpoch: 3 });
  const recovered = recorder.recover();
  await clock.advance(1000);
  const chart = recorder.chart('tide');
  found.resolve();
  await Promise.all([recovered, chart]);
  assert.deepEqual(did, ['cut off', 'cut off', 'cut off', 'level-blocks', 'read', 'read', 'read']);
  await recorder.close();
});

test('a requested market is read before those that nobody requested', async () => {
  const clock = new ManualClock();
  const begun: string[] = [];
  const gates = { tide: Promise.withResolvers<void>(), flow: Promise.withResolvers<void>() };
  const past: LevelPast = {
    async *blocks(model, { widthMs }) {
      if (widthMs !== MINUTE_MS) return;
      begun.push(model);
      if (model === 'tide' || model === 'flow') await gates[model].promise;
      yield [];
    },
    async *changes() {},
    unfinished: async () => null,
    runs: async () => [],
  };
  const journal = { write: async () => ({ result: 'changed' }), stalled: false } as unknown as JournalPort<LevelUnits>;
  const models = ['tide', 'ebb', 'flow'];
  const recorder = new LevelRecorder({ models, past, journal, clock, log: silentLog, bootEpoch: 1 });
  await clock.advance(1000);
  const asked = recorder.chart('flow');
  const chart = recorder.chart('tide');
  gates.tide.resolve();
  await chart;
  await clock.advance(1000);
  assert.deepEqual(begun, ['tide', 'flow']);
  gates.flow.resolve();
  await asked;
  await recorder.chart('ebb');
  assert.deepEqual(begun, ['tide', 'flow', 'ebb']);
  await recorder.close();
});

test('what an earlier gateway recorded on a clock months ahead does not hide today', async () => {
  const clock = new ManualClock();
  const aheadMs = clock.nowMs() + 60 * 86_400_000;
  const wrong = new LevelChart();
  wrong.add(9, aheadMs, aheadMs + MINUTE_MS);
  const past: LevelPast = {
    async *blocks(model, { widthMs }) {
      const blocks = [...wrong.blocks(model, aheadMs, aheadMs + MINUTE_MS)];
      yield blocks.filter((block) => block.widthMs === widthMs).map((block) => ({ ...block, boot: 1 }));
    },
    async *changes() {},
    unfinished: async () => null,
    runs: async () => [],
  };
  const journal = { write: async () => ({ result: 'changed' }), stalled: false } as unknown as JournalPort<LevelUnits>;
  const recorder = new LevelRecorder({ models: ['tide'], past, journal, clock, log: silentLog, bootEpoch: 2 });
  const startMs = clock.nowMs();
  await recorder.chart('tide');
  recorder.take({ type: 'level', model: 'tide', seq: 1, level: 7, levelSeq: 1, degraded: false, atMs: startMs });
  await clock.advance(MINUTE_MS);
  const minutes = bucketsOf(await recorder.chart('tide'), startMs, aheadMs + MINUTE_MS, MINUTE_MS);
  assert.deepEqual([...minutes.keys()], [startMs]);
  await recorder.close();
});

test('a recorder that closes while reading the past waits for the current page and reads no further', async () => {
  const clock = new ManualClock();
  const page = Promise.withResolvers<void>();
  let pages = 0;
  const past: LevelPast = {
    async *changes() {},
    async *blocks() {
      for (;;) {
        pages++;
        await page.promise;
        yield [];
      }
    },
    unfinished: async () => null,
    runs: async () => [],
  };
  const journal = { write: async () => ({ result: 'changed' }), stalled: false } as unknown as JournalPort<LevelUnits>;
  const recorder = new LevelRecorder({ models: ['tide'], past, journal, clock, log: silentLog, bootEpoch: 1 });
  await clock.advance(1000);
  assert.equal(pages, 1);
  let closed = false;
  const closing = recorder.close().then(() => {
    closed = true;
  });
  await clock.advance(0);
  assert.equal(closed, false);
  page.resolve();
  await closing;
  assert.equal(pages, 1);
});

test('while the database does not commit nothing piles up, and one unit then covers all the minutes', async () => {
  const clock = new ManualClock();
  const startMs = clock.nowMs();
  const units: JournalUnit[] = [];
  const commits: (() => void)[] = [];
  const write = (unit: JournalUnit) => {
    units.push(unit);
    return new Promise<void>((resolve) => void commits.push(resolve));
  };
  const journal = { write, stalled: true } as unknown as JournalPort<LevelUnits>;
  const past = { unfinished: async () => null, runs: async () => [] } as unknown as LevelPast;
  const parts = { models: ['tide'], past, clock, log: silentLog, bootEpoch: 1 };
  const recorder = new LevelRecorder({ ...parts, journal });
  recorder.take({ type: 'level', model: 'tide', seq: 1, level: 7, levelSeq: 1, degraded: false, atMs: clock.nowMs() });
  await clock.advance(2 * 3_600_000);
  assert.equal(units.length, 10);
  for (const commit of commits) commit();
  await clock.advance(MINUTE_MS);
  assert.equal(units.length, 11);
  const unit = units.at(-1);
  assert.ok(unit?.kind === 'level-blocks');
  const chart = new LevelChart();
  for (const block of unit.blocks) chart.prepend(block);
  const minutes = [...bucketsOf(chart, startMs + 10 * MINUTE_MS, clock.nowMs(), MINUTE_MS).values()];
  assert.equal(minutes.length, 121 - 10);
  assert.ok(minutes.every((span) => meanOf(span) === 7 && span.coveredMs === MINUTE_MS));
  void recorder.close();
});
