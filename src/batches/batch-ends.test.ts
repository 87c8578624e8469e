/** How batches end before their lines are answered: canceled, past their deadline, or with a suspended account. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { type BatchBench, chatLine, useBatchBench } from '#testing/batch-bench.ts';
import { testedDatabases } from '#testing/databases.ts';
import { benchListing } from '#testing/order-service-bench.ts';

for (const tested of testedDatabases) {
  describe(`ends of batches on ${tested.name}`, { skip: tested.skip }, () => {
    let bench: BatchBench;
    useBatchBench(tested, (opened) => {
      bench = opened;
    });

    test('canceling cancels queued lines, lets running ones finish, and happens once', async () => {
      const id = await bench.run([chatLine('runs'), chatLine('waits')]);
      await bench.admit(bench.resting[0] ?? '');
      await bench.batches.cancel(bench.accountId, id);
      await bench.rest();
      assert.equal((await bench.batch(id)).status, 'cancelling');
      await assert.rejects(bench.batches.cancel(bench.accountId, id), { code: 'batch_not_cancelable' });
      bench.pods.last.say('Hi.').finish();
      await bench.rest();
      assert.deepEqual(await summary(id), ['cancelled', 1, 1]);
      // Either line may have been the first to rest.
      assert.deepEqual(Object.values(await bench.errorCodes(id)), ['canceled']);
      assert.equal((await bench.batch(id)).counts.canceled, 1);
      await assert.rejects(bench.batches.cancel(bench.accountId, id), { code: 'batch_not_cancelable' });
      await assert.rejects(bench.batches.cancel('other', id), { code: 'not_found' });
    });

    test('canceling also reaches lines that are no orders yet, and a line that is requeued', async () => {
      bench.queuedLinesMax = 2;
      await bench.restart();
      const id = await bench.run(['a', 'b', 'c'].map((customId) => chatLine(customId)));
      await bench.admit(bench.resting[0] ?? '');
      await bench.batches.cancel(bench.accountId, id);
      bench.pods.last.end({ kind: 'failed', reason: 'it burned' });
      await bench.rest();
      assert.deepEqual(await summary(id), ['cancelled', 0, 3]);
      assert.deepEqual(await bench.errorCodes(id), { a: 'canceled', b: 'canceled', c: 'canceled' });
    });

    test('a batch that is canceled before it was checked lists every line as canceled', async () => {
      bench.contents.unreadable = true;
      const id = await bench.run([chatLine('a'), chatLine('b')]);
      await bench.batches.cancel(bench.accountId, id);
      bench.contents.unreadable = false;
      await bench.clock.advance(1000);
      await bench.rest();
      assert.deepEqual(await summary(id), ['cancelled', 0, 2]);
    });

    test('at the deadline queued lines expire, running ones finish, and the batch is expired', async () => {
      bench.queuedLinesMax = 2;
      await bench.restart();
      const id = await bench.run(
        ['runs', 'waits', 'comes late'].map((customId) => chatLine(customId)),
        { maxWaitS: 60 },
      );
      await bench.admit(bench.resting[0] ?? '');
      await bench.clock.advance(60_000);
      await bench.rest();
      assert.deepEqual(await bench.errorCodes(id), { waits: 'expired', 'comes late': 'expired' });
      assert.equal((await bench.batch(id)).status, 'in_progress');
      bench.pods.last.say('Hi.').finish();
      await bench.rest();
      assert.deepEqual(await summary(id), ['expired', 1, 2]);
      assert.equal((await bench.batch(id)).counts.expired, 2);
    });

    test('a requeued line waits no longer than its batch', async () => {
      const id = await bench.run([chatLine('a')], { maxWaitS: 60 });
      await bench.admit(bench.resting[0] ?? '');
      await bench.clock.advance(50_000);
      bench.pods.last.end({ kind: 'failed', reason: 'it burned' });
      await bench.settle();
      await bench.clock.advance(10_000);
      await bench.rest();
      assert.deepEqual(await summary(id), ['expired', 0, 1]);
    });

    // Spec 3-25, 4.8-36
    test('a line whose prices changed with a restart does not run, whether it was queued or not yet an order', async () => {
      bench.queuedLinesMax = 1;
      await bench.restart();
      const id = await bench.run([chatLine('waited'), chatLine('was to come')]);
      bench.listing = benchListing({ tariff: { ...bench.listing.tariff, id: 'market:1:1:1' } });
      await bench.restart();
      await bench.clock.advance(1000);
      await bench.rest();
      assert.deepEqual(await bench.errorCodes(id), { waited: 'prices_changed', 'was to come': 'prices_changed' });
      assert.deepEqual(await summary(id), ['completed', 0, 2]);
    });

    test('the batches of a suspended account are canceled', async () => {
      bench.queuedLinesMax = 1;
      await bench.restart();
      const id = await bench.run([chatLine('a'), chatLine('b')]);
      await bench.accounts.suspend(bench.accountId, COMMAND_LINE);
      await bench.clock.advance(1000);
      await bench.rest();
      assert.deepEqual(await summary(id), ['cancelled', 0, 2]);
      assert.deepEqual(await bench.errorCodes(id), { a: 'canceled', b: 'canceled' });
    });

    test('every line of a suspended account ends with one code, also one that is requeued later', async () => {
      const id = await bench.run([chatLine('runs'), chatLine('waits')]);
      await bench.admit(bench.resting[0] ?? '');
      await bench.accounts.suspend(bench.accountId, COMMAND_LINE);
      await bench.clock.advance(1000);
      bench.pods.last.end({ kind: 'failed', reason: 'it burned' });
      await bench.rest();
      const orders = await bench.orders(id);
      assert.deepEqual(
        orders.map(({ status, error }) => [status, error]),
        [
          ['canceled', 'account_suspended'],
          ['canceled', 'account_suspended'],
        ],
      );
      assert.deepEqual(await summary(id), ['cancelled', 0, 2]);
    });

    test('a line that comes back with a restart keeps the code of its suspended account', async () => {
      const id = await bench.run([chatLine('runs')]);
      await bench.admit(bench.resting[0] ?? '');
      await bench.accounts.suspend(bench.accountId, COMMAND_LINE);
      await bench.clock.advance(1000);
      await bench.rest();
      await bench.restart();
      const [order] = await bench.orders(id);
      assert.deepEqual([order?.status, order?.error], ['canceled', 'account_suspended']);
      assert.deepEqual(await summary(id), ['cancelled', 0, 1]);
    });

    async function summary(id: string): Promise<[string, number, number]> {
      const { status, counts } = await bench.batch(id);
      const { output, errors } = await bench.entries(id);
      assert.deepEqual([output.length, errors.length], [counts.completed, counts.failed]);
      const customIds = [...output, ...errors].map(({ custom_id }) => custom_id);
      assert.equal(new Set(customIds).size, customIds.length);
      return [status, counts.completed, counts.failed];
    }
  });
}
