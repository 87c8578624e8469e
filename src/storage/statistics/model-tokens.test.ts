/** The sums behind the statistics, from settlement to sweep, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { idSource } from '#base/id.ts';
import { DAY_MS } from '#base/time.ts';
import { type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { sweepStatistics } from '../cleanup/sweep-expired.ts';
import type { Journal } from '../journal/journal.ts';
import { createTokenStore } from './model-tokens.ts';

const clock = new ManualClock(startMs);
const QUARTER_MS = 900_000;

for (const tested of testedDatabases) {
  describe(`model tokens on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;
    let accounts: Accounts;
    let transfers: Transfers;
    let models = 0;

    before(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
      const parts = { db: opened.db, clock, ids: idSource(clock) };
      accounts = new Accounts(parts);
      transfers = new Transfers(parts);
    });
    after(() => opened?.drop());

    const tokens = { uncached: 30, cached: 70, output: 5 };
    const window = (bucketMs = QUARTER_MS) => ({ fromMs: startMs, toMs: startMs + DAY_MS, bucketMs });
    const store = () => createTokenStore(opened.db);
    const newModel = () => `model-${models++}`;

    async function customer(): Promise<string> {
      const { id } = await accounts.create({ name: 'buyer' }, COMMAND_LINE);
      await transfers.credit(id, 10n ** 15n, { force: true }, COMMAND_LINE);
      return id;
    }
    /** Settles an order `afterMs` into the day; returns its id. */
    async function sell(accountId: string, model: string, afterMs: number, house = false): Promise<string> {
      const order = orderRow({ accountId, model, house });
      const charge = 100n;
      await journal.write(acceptUnit(order, { admission: admissionOf(charge) }));
      await journal.write(settleUnit(order, charge, { model, tokens, finishedAtMs: startMs + afterMs }));
      return order.id;
    }

    test('orders that settle within one quarter of an hour are one bucket', async () => {
      const [accountId, model] = [await customer(), newModel()];
      await Promise.all([0, 1, QUARTER_MS - 1, QUARTER_MS].map((afterMs) => sell(accountId, model, afterMs)));
      const twice = { uncached: 90, cached: 210, output: 15 };
      assert.deepEqual(await store().buckets([model], window()), [
        { model, atMs: startMs, tokens: twice, requests: 3, earned: 300n },
        { model, atMs: startMs + QUARTER_MS, tokens, requests: 1, earned: 100n },
      ]);
    });

    test('wider buckets are sums, begin on their own edge, and keep models apart', async () => {
      const [accountId, one, two] = [await customer(), newModel(), newModel()];
      await sell(accountId, one, 0);
      await sell(accountId, one, 3 * QUARTER_MS);
      await sell(accountId, two, 5 * QUARTER_MS);
      const read = await store().buckets([two, one], window(4 * QUARTER_MS));
      assert.deepEqual(
        read.map(({ model, atMs, requests }) => [model, atMs - startMs, requests]),
        [
          [one, 0, 2],
          [two, 4 * QUARTER_MS, 1],
        ],
      );
      const sums = await store().sums([one, two, 'nobody'], window());
      assert.deepEqual(
        new Map(sums.map(({ model, requests }) => [model, requests])),
        new Map([
          [one, 2],
          [two, 1],
        ]),
      );
    });

    test('a window includes its first moment but not its last', async () => {
      const [accountId, model] = [await customer(), newModel()];
      await sell(accountId, model, DAY_MS - 1);
      await sell(accountId, model, DAY_MS);
      assert.equal((await store().sums([model], window()))[0]?.requests, 1);
      assert.deepEqual(await store().buckets([], window()), []);
    });

    test("the house account's orders are in no sum", async () => {
      const model = newModel();
      await sell((await accounts.house()).id, model, 0, true);
      assert.deepEqual(await store().sums([model], window()), []);
    });

    test('a settlement that is written twice counts once', async () => {
      const [accountId, model] = [await customer(), newModel()];
      const order = orderRow({ accountId, model });
      await journal.write(acceptUnit(order, { admission: admissionOf(100n) }));
      const unit = settleUnit(order, 100n, { model, tokens });
      await Promise.all([journal.write(unit), journal.write(unit)]);
      assert.equal((await store().sums([model], window()))[0]?.requests, 1);
    });

    test('a refund reduces what was earned', async () => {
      const [accountId, model] = [await customer(), newModel()];
      const orderId = await sell(accountId, model, 0);
      await transfers.refund(accountId, 40n, { orderId }, COMMAND_LINE);
      assert.equal((await store().sums([model], window()))[0]?.earned, 60n);
    });

    test('buckets older than every range are swept, and no others', async () => {
      const [accountId, model] = [await customer(), newModel()];
      for (const days of [0, 1, 2]) await sell(accountId, model, days * DAY_MS);
      const last = startMs + 2 * DAY_MS;
      await sweepStatistics(opened.db, last + 31 * DAY_MS);
      const left = await opened.db.knex('model_tokens').where({ model }).pluck('bucket_ms');
      assert.deepEqual(left.map(Number), [last]);
    });
  });
}
