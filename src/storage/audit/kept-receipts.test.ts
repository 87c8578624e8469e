/** Receipts of clients beside the ledger, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { compareReceipts, type KeptReceipt, type UnreadablePlace } from './kept-receipts.ts';

const clock = new ManualClock(startMs);
const CHARGE = 640n;

for (const tested of testedDatabases) {
  describe(`receipts of clients on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let accountId = '';
    before(async () => {
      opened = await openJournaled(tested, clock);
      accountId = await fundedAccount(opened.db, clock, 10n ** 12n);
      await opened.journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs });
    });
    after(() => opened?.drop());

    const charged = async (): Promise<KeptReceipt> => {
      const order = orderRow({ accountId });
      await opened.journal.write(acceptUnit(order, { admission: admissionOf(10_000n) }));
      await opened.journal.write(settleUnit(order, CHARGE));
      return { orderId: order.id, place: 'a.json', charged: 640, level: 500_000_000, bid: 1_000_000_000 };
    };
    const findings = async (...kept: readonly (KeptReceipt | UnreadablePlace)[]) => {
      const report = await compareReceipts(opened.db, each(kept));
      assert.equal(report.receipts, kept.filter((one) => 'orderId' in one).length);
      return report.findings;
    };

    test('a receipt that the ledger has passes, also where it is kept twice', async () => {
      const receipt = await charged();
      assert.deepEqual(await findings(receipt, { ...receipt, place: 'b.json' }), []);
    });

    test('each receipt that the ledger lacks is named with its order, its charge and its place', async () => {
      const receipt = await charged();
      const lost = { ...receipt, orderId: 'lost', place: 'kept.jsonl line 7' };
      assert.deepEqual(await findings(receipt, lost), [
        'Order lost: its receipt says 640 nano-dollars, and the database has no such order (receipt in kept.jsonl line 7).',
      ]);
    });

    test('a receipt of an order that is not settled is named', async () => {
      const order = orderRow({ accountId });
      await opened.journal.write(acceptUnit(order));
      const [finding = ''] = await findings({ ...(await charged()), orderId: order.id });
      assert.match(finding, /and it is queued without a charge/);
    });

    test('a receipt that differs is named with what it says and what the ledger has', async () => {
      const receipt = await charged();
      const [charge = ''] = await findings({ ...receipt, charged: 641 });
      assert.match(charge, /its receipt says charged 641, and the database 640 \(/);
      const [price = ''] = await findings({ ...receipt, level: 5, bid: 6 });
      assert.match(price, /level_at_execution 5, and the database 500000000; bid 6, and the database 1000000000 \(/);
    });

    test('more receipts than one read takes are all compared', async () => {
      const receipt = await charged();
      const many = Array.from({ length: 600 }, (_, at) =>
        at % 299 === 298 ? { ...receipt, orderId: `${at}` } : receipt,
      );
      assert.equal((await findings(...many)).length, 2);
    });

    test('a place that cannot be read is named', async () => {
      assert.deepEqual(await findings({ place: 'torn.json', why: 'it is no JSON.' }), ['torn.json: it is no JSON.']);
    });
  });
}

async function* each<Of>(values: readonly Of[]): AsyncGenerator<Of> {
  yield* values;
}
