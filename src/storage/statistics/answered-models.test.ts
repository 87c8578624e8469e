/** Which models have answered, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Accounts } from '#accounts/account/account-store.ts';
import { idSource } from '#base/id.ts';
import { DAY_MS } from '#base/time.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { sweepStatistics } from '../cleanup/sweep-expired.ts';
import { answeredModels } from './model-tokens.ts';

const clock = new ManualClock(startMs);
const CHARGE = 100n;

for (const tested of testedDatabases) {
  describe(`models that answered, on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;

    before(async () => {
      opened = await openJournaled(tested, clock);
    });
    after(() => opened?.drop());

    /** An order that runs, of the house or of a customer. */
    async function running(model: string, house: boolean) {
      const { db, journal } = opened;
      const parts = { db, clock, ids: idSource(clock) };
      const accountId = house ? (await new Accounts(parts).house()).id : await fundedAccount(db, clock, 10n ** 9n);
      const order = orderRow({ accountId, model, house });
      await journal.write(acceptUnit(order, { admission: admissionOf(CHARGE) }));
      return order;
    }
    async function answer(model: string, house: boolean): Promise<void> {
      const order = await running(model, house);
      await opened.journal.write(settleUnit(order, CHARGE, { model, finishedAtMs: startMs }));
    }

    test('a settled order of a customer or of the house is an answer; one that runs or failed is not', async () => {
      await answer('sold', false);
      await answer('probed', true);
      await running('runs', false);
      const { id: orderId, accountId } = await running('failed', true);
      const why = { finishedAtMs: startMs, error: 'backend_error', errorMessage: 'x' };
      await opened.journal.write({ kind: 'fail', orderId, accountId, attempt: 1, ...why });
      assert.deepEqual(await answeredModels(opened.db), new Set(['sold', 'probed']));
    });

    test('a model that answered probes stays known when its statistics are swept', async () => {
      await sweepStatistics(opened.db, startMs + 90 * DAY_MS);
      assert.deepEqual(await answeredModels(opened.db), new Set(['probed']));
    });
  });
}
