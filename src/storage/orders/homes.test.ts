/** Which gateway has an order or a batch, by their rows. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { fundedAccount, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { createBatchStore } from '../batches/store.ts';
import { createHomes } from './homes.ts';

for (const tested of testedDatabases) {
  describe(`homes on ${tested.name}`, { skip: tested.skip }, () => {
    test('live orders and active batches have a gateway, those that ended and those of others have none', async () => {
      const clock = new ManualClock(startMs);
      const { db, journal, drop } = await openJournaled(tested, clock);
      try {
        const [accountId, other] = [await fundedAccount(db, clock, 10n ** 12n), await fundedAccount(db, clock, 1n)];
        const [waits, runs, done] = [3, 4, 5].map((bootEpoch) =>
          orderRow({ accountId, bootEpoch, keyId: bootEpoch === 4 ? 'key_1' : null }),
        );
        assert.ok(waits && runs && done);
        await journal.write(acceptUnit(waits));
        await journal.write(acceptUnit(runs, { admission: admissionOf(60n) }));
        await journal.write(acceptUnit(done, { admission: admissionOf(60n) }));
        await journal.write(settleUnit(done, 42n));
        const homes = createHomes(db);
        const ids = [waits.id, runs.id, done.id, 'nothing'];
        assert.deepEqual(
          [...(await homes.ofOrders(wholeAccount(accountId), ids))].sort(),
          [
            [waits.id, 3],
            [runs.id, 4],
          ].sort(),
        );
        assert.equal((await homes.ofOrders(wholeAccount(other), ids)).size, 0);
        assert.deepEqual([...(await homes.ofOrders({ accountId, keyId: 'key_1' }, ids)).keys()], [runs.id]);

        const batches = [3, 3, 4].map((bootEpoch) => batchRow({ accountId, bootEpoch }));
        for (const batch of batches) await journal.write({ kind: 'batch-created', batch });
        assert.deepEqual(await Promise.all(batches.map(({ id }) => homes.ofBatch(id))), [3, 3, 4]);
        assert.equal(await homes.ofBatch('nothing'), null);
        const { activeOf } = createBatchStore(db);
        assert.deepEqual((await activeOf(accountId)).sort(), batches.map(({ id }) => id).sort());
        assert.deepEqual(await activeOf(other), []);
        await journal.close();
      } finally {
        await drop();
      }
    });
  });
}
