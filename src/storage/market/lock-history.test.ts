/** Past quotes and locks, written by the journal and added up by bucket, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '#base/time.ts';
import { type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { createLockHistory } from './lock-history.ts';

const START_MS = Date.UTC(2026, 0, 1);
const WINDOW_MS = 10_000;

for (const tested of testedDatabases) {
  describe(`past locks on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;

    before(async () => {
      opened = await openJournaled(tested, new ManualClock());
    });
    after(() => opened?.drop());

    const quoted = (model: string, quoteSeq: number, price: number) => {
      const atMs = START_MS + quoteSeq * WINDOW_MS;
      const unit = { kind: 'quote', model, quoteSeq, price, atMs, untilMs: atMs + WINDOW_MS, state: null } as const;
      return opened.journal.write(unit);
    };
    const locked = (model: string, minute: number, started: number, missed: number) => {
      const scarce = { scarceStarted: 0, scarceMissed: 0 };
      const minuteMs = START_MS + minute * MINUTE_MS;
      return opened.journal.write({ kind: 'locks', model, minuteMs, started, missed, ...scarce });
    };
    const buckets = (model: string, change: object = {}) => {
      const stretch = { model, fromMs: START_MS, toMs: START_MS + DAY_MS, bucketMs: MINUTE_MS, afterSeq: -1 };
      return createLockHistory(opened.db)({ ...stretch, ...change });
    };

    test('windows are added up by bucket, with the locks of its minutes; prices stay exact', async () => {
      for (const [seq, price] of [10 ** 15, 10 ** 15 - 2, 10 ** 15 - 4].entries()) await quoted('tide', seq, price);
      await quoted('tide', 6, 7);
      await quoted('reef', 0, 1);
      await locked('tide', 0, 4, 1);
      await locked('tide', 1, 0, 2);
      await locked('tide', 2, 9, 9);
      await locked('reef', 0, 8, 8);
      assert.deepEqual(await buckets('tide'), [
        {
          ...{ atMs: START_MS, windows: 3, mean: 10 ** 15 - 2, low: 10 ** 15 - 4, high: 10 ** 15 },
          ...{ started: 4, missed: 1 },
        },
        { atMs: START_MS + MINUTE_MS, windows: 1, mean: 7, low: 7, high: 7, started: 0, missed: 2 },
      ]);
      const [wide, ...more] = await buckets('tide', { bucketMs: 15 * MINUTE_MS });
      assert.deepEqual([wide?.windows, wide?.started, wide?.missed, more.length], [4, 13, 12, 0]);
    });

    test('what is before, after or up to a number is left out', async () => {
      for (const seq of [0, 1, 2, 3]) await quoted('flow', seq, seq);
      const lows = async (change: object) => (await buckets('flow', change)).map(({ low, windows }) => [low, windows]);
      assert.deepEqual(await lows({ afterSeq: 1 }), [[2, 2]]);
      assert.deepEqual(await lows({ fromMs: START_MS + WINDOW_MS }), [[1, 3]]);
      assert.deepEqual(await lows({ toMs: START_MS + WINDOW_MS }), [[0, 1]]);
      assert.deepEqual(await lows({ model: 'nobody' }), []);
    });
  });
}
