/** How long runs took, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import { type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { sweepStatistics } from '../cleanup/sweep-expired.ts';
import { createRunStore } from './run-hours.ts';

const START_MS = Date.UTC(2026, 0, 1);

for (const tested of testedDatabases) {
  describe(`times of runs on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;

    before(async () => {
      opened = await openJournaled(tested, new ManualClock());
    });
    after(() => opened?.drop());

    const write = (model: string, boot: number, hour: number, count: number) => {
      const hours = [{ model, hourMs: START_MS + hour * HOUR_MS, counts: Uint8Array.of(count) }];
      return opened.journal.write({ kind: 'run-hours', boot, hours });
    };
    const read = async (model: string, fromHour: number, toHour: number) => {
      const seen: number[] = [];
      const hours = { fromMs: START_MS + fromHour * HOUR_MS, toMs: START_MS + toHour * HOUR_MS };
      await createRunStore(opened.db).each(model, hours, ([count]) => void seen.push(count ?? -1));
      return seen;
    };

    test('the hours of a model are read, of every boot, and no others', async () => {
      for (const [boot, hour, count] of [
        [1, 0, 10],
        [1, 1, 11],
        [2, 1, 12],
        [2, 30, 13],
        [2, 48, 14],
      ] as const)
        await write('tide', boot, hour, count);
      await write('reef', 1, 1, 99);
      await write('tide', 1, 1, 21);
      assert.deepEqual(await read('tide', 0, 49), [10, 21, 12, 13, 14]);
      assert.deepEqual(await read('tide', 1, 48), [21, 12, 13]);
      assert.deepEqual(await read('nobody', 0, 48), []);
    });

    test('of processes that start over and over no more than a bound is read', async () => {
      const rows = Array.from({ length: 1000 }, (_, boot) => {
        return { model: 'flap', bucket_ms: START_MS, boot, counts: Buffer.of(1) };
      });
      await opened.db.knex.batchInsert('run_hours', rows, 100);
      assert.equal((await read('flap', 0, 24)).length, 480);
    });

    test('hours older than every range are swept', async () => {
      await write('ebb', 1, 0, 1);
      await write('ebb', 1, 24, 2);
      await sweepStatistics(opened.db, START_MS + 32 * DAY_MS);
      assert.deepEqual(await read('ebb', 0, 48), [2]);
    });
  });
}
