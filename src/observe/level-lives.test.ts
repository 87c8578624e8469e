/**
 * The recorder on real databases over several runs of a gateway: stopped, killed, down for a while. In every case a
 * chart must match a plain integration of the levels while a gateway was up.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { type Random, seededRandom } from '#base/random.ts';
import { MINUTE_MS } from '#base/time.ts';
import { meanOf } from '#market/data/level-candles.ts';
import { blockBegin, keptCandles, type LevelChart } from '#market/data/level-chart.ts';
import { sweepMarket } from '#storage/cleanup/sweep-market.ts';
import { createJournal, type Journal } from '#storage/journal/journal.ts';
import { createLevelPast, openRun } from '#storage/market/level-past.ts';
import { bucketsOf } from '#testing/charts.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { LevelRecorder } from './level-recorder.ts';

const MODEL = 'tide';

/** One database, and the successive gateways that use it. */
class Lives {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 1, 0, 0, 30, 250));
  readonly seen: { level: number; fromMs: number; toMs: number }[] = [];
  readonly #opened: OpenedDatabase;
  #boot = 0;
  #seq = 0;
  #level = 0;
  #sinceMs = 0;
  #journal: Journal | null = null;
  recorder: LevelRecorder | null = null;

  constructor(opened: OpenedDatabase) {
    this.#opened = opened;
  }

  async start(): Promise<LevelRecorder> {
    const { db } = this.#opened;
    const { clock } = this;
    const bootEpoch = ++this.#boot;
    this.#journal = createJournal(db, { clock, log: silentLog });
    const past = createLevelPast(db);
    const recorder = new LevelRecorder({
      models: [MODEL],
      past,
      journal: this.#journal,
      clock,
      log: silentLog,
      bootEpoch,
    });
    await recorder.recover();
    await openRun(db, bootEpoch, clock.nowMs());
    this.recorder = recorder;
    await this.move(this.#level);
    return recorder;
  }

  /** A start that is cut off before it reads the past. */
  startAndCrash(): void {
    this.#boot++;
  }

  async move(level: number): Promise<void> {
    const atMs = this.clock.nowMs();
    this.#saw(atMs);
    this.#level = level;
    const row = { model: MODEL, levelSeq: ++this.#seq, level, atMs };
    this.recorder?.take({ ...row, type: 'level', seq: this.#seq, degraded: false });
    await this.#journal?.write({ ...row, kind: 'level' });
  }

  /** As with SIGTERM. */
  async stop(): Promise<void> {
    this.#saw(this.clock.nowMs());
    await this.recorder?.close();
    await this.#journal?.close();
    this.#sinceMs = 0;
  }

  /** As with SIGKILL: no sign of life since the newest change. */
  async kill(): Promise<void> {
    await this.#journal?.close();
    await this.recorder?.close().catch(() => {});
    this.#sinceMs = 0;
  }

  async trade(random: Random, changes: number): Promise<void> {
    for (let change = 0; change < changes; change++) {
      await this.clock.advance(Math.ceil(random.next() * 4000));
      await this.move(Math.round(1e9 * (1 + random.next())));
    }
  }

  #saw(atMs: number): void {
    if (this.#sinceMs > 0) this.seen.push({ level: this.#level, fromMs: this.#sinceMs, toMs: atMs });
    this.#sinceMs = atMs;
  }

  /** Mean and covered time of a bucket, by brute force. */
  bucket(fromMs: number, toMs: number): { mean: number; coveredMs: number } {
    let [area, coveredMs] = [0, 0];
    for (const one of this.seen) {
      const ms = Math.min(one.toMs, toMs) - Math.max(one.fromMs, fromMs);
      if (ms <= 0) continue;
      area += one.level * ms;
      coveredMs += ms;
    }
    return { mean: coveredMs === 0 ? 0 : area / coveredMs, coveredMs };
  }

  assertAgrees(chart: LevelChart, bucketMs: number): void {
    const first = this.seen[0]?.fromMs ?? 0;
    const untilMs = this.clock.nowMs();
    const spans = bucketsOf(chart, first - (first % bucketMs), untilMs, bucketMs);
    for (let atMs = first - (first % bucketMs); atMs + bucketMs <= untilMs; atMs += bucketMs) {
      const due = this.bucket(atMs, atMs + bucketMs);
      const span = spans.get(atMs);
      assert.equal(span?.coveredMs ?? 0, due.coveredMs, `the cover of ${atMs}, ${bucketMs} ms`);
      if (span) assert.ok(Math.abs(meanOf(span) - due.mean) <= 1, `${meanOf(span)} is not ${due.mean}`);
    }
  }
}

/** Gateways on an empty database. */
async function emptied(opened: OpenedDatabase): Promise<Lives> {
  for (const table of ['gateway_runs', 'levels', 'markets', 'level_blocks']) await opened.db.knex(table).delete();
  return new Lives(opened);
}

for (const tested of testedDatabases) {
  describe(`level recorder on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    before(async () => {
      opened = await openTested(tested);
    });
    after(() => opened?.drop());

    test('charts are right across stops, kills and the time when no gateway was up', async () => {
      const lives = new Lives(opened);
      const random = seededRandom(1);
      for (let life = 0; life < 6; life++) {
        const recorder = await lives.start();
        await lives.trade(random, 60);
        // Requested sometimes early, sometimes late, sometimes never.
        if (life % 2 === 1) {
          await lives.move(5);
          const chart = await recorder.chart(MODEL);
          for (const bucketMs of [2000, 15_000, MINUTE_MS, 5 * MINUTE_MS]) lives.assertAgrees(chart, bucketMs);
          await lives.trade(random, 20);
          for (const bucketMs of [2000, 15_000, MINUTE_MS]) lives.assertAgrees(await recorder.chart(MODEL), bucketMs);
        }
        if (life % 3 === 0) await lives.stop();
        else await lives.kill();
        await lives.clock.advance(Math.ceil(random.next() * 200_000));
      }
    });

    test('a level that stands for hours gives a sign of life every minute', async () => {
      const lives = await emptied(opened);
      await lives.clock.advance(86_400_000);
      await lives.start();
      await lives.clock.advance(600_000);
      await lives.kill();
      await lives.clock.advance(300_000);
      const recorder = await lives.start();
      const chart = await recorder.chart(MODEL);
      const midnightMs = Date.UTC(2026, 0, 2);
      const minutes = [...bucketsOf(chart, midnightMs, lives.clock.nowMs(), MINUTE_MS)];
      assert.equal(minutes.length, 10);
      await lives.stop();
    });

    test('what several gateways observed of one minute counts once, however early the past was requested', async () => {
      const lives = await emptied(opened);
      for (let life = 0; life < 4; life++) {
        const recorder = await lives.start();
        const chart = await recorder.chart(MODEL);
        if (life > 0) lives.assertAgrees(chart, MINUTE_MS);
        await lives.clock.advance(7000);
        await lives.move(1e9 + life);
        await lives.clock.advance(life === 2 ? 100_000 : 5000);
        if (life % 2 === 0) await lives.stop();
        else await lives.kill();
        await lives.clock.advance(1500);
      }
      const recorder = await lives.start();
      await lives.clock.advance(60_000);
      await lives.move(5);
      for (const bucketMs of [2000, 15_000, MINUTE_MS]) lives.assertAgrees(await recorder.chart(MODEL), bucketMs);
      await lives.stop();
    });

    test('a start that is cut off leaves the recovery of earlier runs to the next start', async () => {
      const lives = await emptied(opened);
      await lives.start();
      await lives.trade(seededRandom(3), 20);
      await lives.kill();
      lives.startAndCrash();
      await lives.clock.advance(1500);
      const recorder = await lives.start();
      await lives.trade(seededRandom(4), 20);
      for (const bucketMs of [2000, 15_000, MINUTE_MS]) lives.assertAgrees(await recorder.chart(MODEL), bucketMs);
      await lives.stop();
    });

    test('what was recorded before blocks existed is as detailed as new data', async () => {
      const lives = await emptied(opened);
      const random = seededRandom(2);
      for (const ends of ['stop', 'kill'] as const) {
        await lives.start();
        await lives.trade(random, 60);
        await lives[ends]();
        await lives.clock.advance(1500);
      }
      // As a migration left them: only minutes.
      await opened.db.knex('gateway_runs').update({ in_blocks: 0 });
      await opened.db.knex('level_blocks').whereNot({ width_ms: MINUTE_MS }).delete();
      for (let life = 0; life < 3; life++) {
        const recorder = await lives.start();
        await lives.trade(random, 20);
        const chart = await recorder.chart(MODEL);
        for (const bucketMs of [2000, 15_000, MINUTE_MS]) lives.assertAgrees(chart, bucketMs);
        await (life === 0 ? lives.kill() : lives.stop());
        await lives.clock.advance(1500);
      }
    });

    test('old changes and old blocks are swept, and the newest of each market stays', async () => {
      const { db } = opened;
      const nowMs = Date.UTC(2026, 5, 1);
      assert.ok((await sweepMarket(db, nowMs)) > 0);
      assert.equal((await db.knex('level_blocks')).length, 0);
      const left = await db.knex('levels').pluck('level_seq');
      const newest = await db.knex('markets').pluck('level_seq');
      assert.deepEqual(left.map(Number), newest.map(Number));
      assert.equal(await sweepMarket(db, nowMs), 0);
    });

    test('a sweep keeps every block that a chart needs, and no block for long', async () => {
      const { db } = opened;
      const lives = await emptied(opened);
      await lives.start();
      await lives.stop();
      for (const { widthMs, keptMs } of Object.values(keptCandles)) {
        const rowOf = (from_ms: number) => ({ model: MODEL, width_ms: widthMs, from_ms, boot: 1, slots: Buffer.of() });
        const nowMs = lives.clock.nowMs() + 40 * 86_400_000;
        const oldest = rowOf(blockBegin(widthMs, nowMs - keptMs));
        const tooOld = rowOf(oldest.from_ms - 3 * 3_600_000);
        await db.knex('level_blocks').delete();
        await db.knex('level_blocks').insert([oldest, tooOld]);
        await sweepMarket(db, nowMs);
        assert.deepEqual((await db.knex('level_blocks').pluck('from_ms')).map(Number), [oldest.from_ms]);
      }
    });
  });
}
