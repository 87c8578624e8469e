/** Blocks of levels on every database. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { LevelSpan } from '#market/data/level-candles.ts';
import { packed, unpack } from '#market/data/level-chart.ts';
import type { StoredBlock, WantedBlocks } from '#observe/ports.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
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
        const candles = packed(spans.slice(0, end).map((span, place) => [place, span]));
        const untilMs = MIDNIGHT_MS + end;
        await journal.write({ kind: 'level-blocks', boot: 1, untilMs, blocks: [{ ...block, candles }] });
      }
      await journal.close();
      const [read, ...more] = await stored('tide');
      assert.deepEqual(more, []);
      assert.deepEqual({ ...read, candles: null }, { ...block, boot: 1, candles: null });
      const seen: [number, LevelSpan][] = [];
      unpack(read?.candles ?? new Uint8Array(), (place, span) => seen.push([place, { ...span }]));
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
      assert.ok(read.every(({ boot, candles }) => candles[0] === boot));
    });
  });
}
