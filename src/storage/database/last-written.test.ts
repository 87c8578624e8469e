import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fundedAccount, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, startMs } from '#testing/order-fixtures.ts';
import { lastWrittenMs } from './last-written.ts';

for (const tested of testedDatabases) {
  describe(`the latest time in ${tested.name}`, { skip: tested.skip }, () => {
    test('is that of the newest order, admission or level, and 0 without any', async () => {
      const clock = new ManualClock(startMs);
      const { db, journal, drop } = await openJournaled(tested, clock);
      try {
        assert.equal(await lastWrittenMs(db), 0);
        const accountId = await fundedAccount(db, clock, 10n ** 12n);
        await journal.write(acceptUnit(orderRow({ accountId, createdAtMs: startMs + 5 })));
        assert.equal(await lastWrittenMs(db), startMs + 5);
        const admission = { ...admissionOf(60n), atMs: startMs + 70 };
        await journal.write(acceptUnit(orderRow({ accountId }), { admission }));
        assert.equal(await lastWrittenMs(db), startMs + 70);
        await journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 1, atMs: startMs + 900 });
        assert.equal(await lastWrittenMs(db), startMs + 900);
      } finally {
        await drop();
      }
    });
  });
}
