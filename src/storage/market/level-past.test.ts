/** Blocks of levels on every database, and the migration of minutes to blocks. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { packed, unpack } from '#market/data/level-block.ts';
import type { LevelSpan } from '#market/data/level-slots.ts';
import type { StoredBlock, WantedBlocks } from '#market/level-records.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { migrate } from '../database/migrate.ts';
import { createJournal } from '../journal/journal.ts';
import { createLevelPast, openRun } from './level-past.ts';

const MIDNIGHT_MS = Date.UTC(2026, 0, 1);
const everything: WantedBlocks = { widthMs: MINUTE_MS, fromMs: 0, beforeBoot: 1000 };

const spanOf = (level: number, coveredMs = MINUTE_MS): LevelSpan => ({
  ...{ open: level, high: level + 3, low: 0, close: level + 1, area: (level + 2) * coveredMs, coveredMs },
});

for (const tested of testedDatabases) {
  describe(`levels in blocks on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    before(async () => {
      opened = await openTested(tested);
    });
    after(() => opened?.drop());

    async function stored(model: string, wanted = everything): Promise<StoredBlock[]> {
      const pages = await Array.fromAsync(createLevelPast(opened.db).blocks(model, wanted));
      return pages.flat();
    }

    test('a block is written whole, even repeatedly, and read as it was', async () => {
      await openRun(opened.db, 1, MIDNIGHT_MS);
      const journal = createJournal(opened.db, { clock: new ManualClock(), log: silentLog });
      const block = { model: 'tide', widthMs: MINUTE_MS, fromMs: MIDNIGHT_MS };
      const spans = [spanOf(0, 1), spanOf(1e9), spanOf(999_999_999_999_997, 59_999)];
      for (const end of [1, 3]) {
        const slots = packed(spans.slice(0, end).map((span, place) => [place, span]));
        const untilMs = MIDNIGHT_MS + end;
        await journal.write({ kind: 'level-blocks', boot: 1, untilMs, blocks: [{ ...block, slots }] });
      }
      await journal.close();
      const [read, ...more] = await stored('tide');
      assert.deepEqual(more, []);
      assert.deepEqual({ ...read, slots: null }, { ...block, boot: 1, slots: null });
      const seen: [number, LevelSpan][] = [];
      unpack(read?.slots ?? new Uint8Array(), (place, span) => seen.push([place, { ...span }]));
      assert.deepEqual(seen, [...spans.entries()]);
      const [run] = await createLevelPast(opened.db).runs(0, MIDNIGHT_MS + HOUR_MS);
      assert.deepEqual(run, { boot: 1, fromMs: MIDNIGHT_MS, untilMs: MIDNIGHT_MS + 3, inBlocks: true });
    });

    test('blocks come newest first, page by page, and only the requested ones', async () => {
      const times = Array.from({ length: 150 }, (_, hour) => MIDNIGHT_MS + hour * HOUR_MS);
      const rows = [1, 2, 3].flatMap((boot) =>
        times.map((from_ms) => ({ model: 'ebb', width_ms: MINUTE_MS, from_ms, boot, slots: Buffer.of(boot) })),
      );
      await opened.db.knex.batchInsert('level_blocks', rows, 50);
      await opened.db.knex('level_blocks').insert({ ...rows[0], width_ms: 15_000 });
      const fromMs = times[20] ?? 0;
      const read = await stored('ebb', { widthMs: MINUTE_MS, fromMs, beforeBoot: 3 });
      const due = times.slice(20).flatMap((atMs) => [1, 2].map((boot) => [atMs, boot]));
      assert.deepEqual(
        read.map((block) => [block.fromMs, block.boot]),
        due.reverse(),
      );
      assert.ok(read.every(({ boot, slots }) => slots[0] === boot));
    });

    test('minutes of earlier versions become blocks, and their runs are marked as without blocks', async () => {
      const { knex } = opened.db;
      await knex.raw('DROP TABLE level_blocks');
      await knex.raw('ALTER TABLE gateway_runs DROP COLUMN in_blocks');
      await knex.raw(`CREATE TABLE level_minutes (model VARCHAR(255) NOT NULL, minute_ms BIGINT NOT NULL,
        boot BIGINT NOT NULL, open BIGINT NOT NULL, high BIGINT NOT NULL, low BIGINT NOT NULL, close BIGINT NOT NULL,
        mean BIGINT NOT NULL, covered_ms INT NOT NULL, PRIMARY KEY (model, minute_ms, boot))`);
      const minute = (model: string, at: number, boot: number, level: number, coveredMs: number) => ({
        ...{ model, minute_ms: MIDNIGHT_MS + at * MINUTE_MS, boot, covered_ms: coveredMs },
        ...{ open: level, high: level + 3, low: 0, close: level + 1, mean: level + 2 },
      });
      const hour = Array.from({ length: 60 }, (_, at) => minute('flow', 60 + at, 1, 1e9 + at, MINUTE_MS));
      const parts = [minute('flow', 59, 1, 999_999_999_999_997, 1), minute('flow', 119, 2, 7, 80_000)];
      await knex('level_minutes').insert([...hour, ...parts, minute('slack', 0, 1, 0, 30_000)]);
      // On MySQL a migration that was cut off at its very end is run again.
      for (let times = 0; times < (tested.name === 'SQLite' ? 1 : 2); times++) {
        await knex('migrations').where({ id: '0015_level_blocks' }).delete();
        assert.deepEqual(await migrate(opened.db), ['0015_level_blocks']);
      }

      const calls: [number, number, Map<number, LevelSpan>][] = [];
      for (const { fromMs, boot, slots } of await stored('flow')) {
        const places = new Map<number, LevelSpan>();
        unpack(slots, (place, span) => places.set(place, { ...span }));
        calls.push([fromMs - MIDNIGHT_MS, boot, places]);
      }
      assert.deepEqual(calls, [
        [HOUR_MS, 2, new Map([[59, spanOf(7)]])],
        [HOUR_MS, 1, new Map(hour.map(({ open }, place) => [place, spanOf(open)]))],
        [0, 1, new Map([[59, spanOf(999_999_999_999_997, 1)]])],
      ]);
      assert.equal((await stored('slack')).length, 1);
      assert.equal(await knex.schema.hasTable('level_minutes'), false);
      const [run] = await createLevelPast(opened.db).runs(0, MIDNIGHT_MS + HOUR_MS);
      assert.equal(run?.inBlocks, false);
    });
  });
}
