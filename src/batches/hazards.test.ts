/** Batches of an unlucky or a hostile owner. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { LiveOrder } from '#orders/live-order.ts';
import { type BatchBench, chatLine, useBatchBench } from '#testing/batch-bench.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { testedDatabases } from '#testing/databases.ts';

const MESSAGES = '/v1/messages';

for (const tested of testedDatabases) {
  describe(`hazards of batches on ${tested.name}`, { skip: tested.skip }, () => {
    let bench: BatchBench;
    useBatchBench(tested, (opened) => {
      bench = opened;
    });

    test('a refusal that repeats a megabyte of its request is cut short in the error file', async () => {
      const content = [{ type: '漢'.repeat(350_000), text: '' }];
      const body = { model: 'tide', max_tokens: 5, messages: [{ role: 'user', content }] };
      const line = chatLine('a', {}, { url: MESSAGES, body });
      const id = await bench.run([line], { kind: 'messages' });
      assert.deepEqual(await bench.errorCodes(id), { a: 'invalid_request' });
      const { errors } = await bench.entries(id);
      assert.ok(JSON.stringify(errors[0]).length < 2000);
      assert.equal((await bench.batch(id)).status, 'completed');
    });

    test('an id that equals a file id only in the database names no file', async () => {
      const inputFileId = await bench.upload(chatLine('a'));
      for (const other of [`${inputFileId} `, inputFileId.toUpperCase(), `${inputFileId}\u0000`]) {
        await assert.rejects(bench.create({ inputFileId: other }), { code: 'not_found' });
      }
    });

    test('a refused line gives its place to the next one', async () => {
      bench.queuedLinesMax = 1;
      await bench.restart();
      const id = await bench.run([chatLine('refused', { model: 'nobody' }), chatLine('good')]);
      assert.equal(bench.resting.length, 1);
      await bench.answerAll();
      assert.equal((await bench.batch(id)).status, 'completed');
    });

    test('a line that runs gives its place to the next one', async () => {
      bench.queuedLinesMax = 1;
      await bench.restart();
      await bench.run([chatLine('runs'), chatLine('waits')]);
      await bench.admit(bench.resting[0] ?? '');
      bench.pods.last.say('Hi.');
      await bench.settle();
      assert.equal(bench.resting.length, 1);
      bench.pods.last.finish();
      await bench.settle();
      await bench.answerAll();
    });

    test('hundreds of lines that end together leave the journal to others', async () => {
      const id = await bench.run(Array.from({ length: 300 }, (_, index) => chatLine(`line ${index}`)));
      const canceled = bench.batches.cancel(bench.accountId, id);
      assert.ok(bench.journal.pending < 100, `${bench.journal.pending} units wait`);
      await canceled;
      await bench.rest();
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.canceled, counts.placed], ['cancelled', 300, 300]);
    });

    test('no request is kept of an account without retention', async () => {
      await bench.run([chatLine('a')], { retentionDays: 0, logPayloads: true });
      assert.equal((await bench.db.knex('request_logs')).length, 0);
      await bench.answerAll();
    });

    test('a long custom id is not in memory while its line is queued, also in the next process', async () => {
      const customId = 'x'.repeat(60_000);
      const id = await bench.run([chatLine(customId)]);
      for (const kill of [false, true]) {
        if (kill) await bench.restart();
        const held = bench.orderService.ticket(bench.resting[0] ?? '');
        assert.ok(held instanceof LiveOrder);
        assert.equal(held.row.customId, null);
        assert.equal((await bench.orders(id))[0]?.customId, customId);
      }
      await bench.answerAll();
      assert.equal((await bench.entries(id)).output[0]?.custom_id, customId);
    });

    test('a cleanup that read a file before a batch used it cannot delete it until the batch has ended', async () => {
      const inputFileId = await bench.upload(chatLine('a'));
      const { accountId } = bench;
      const created = bench.create({ inputFileId });
      await bench.settle();
      const file = { accountId, id: inputFileId };
      assert.equal((await bench.journal.write({ kind: 'file-emptied', ...file })).result, 'stale');
      assert.equal((await bench.journal.write({ kind: 'file-removed', ...file })).result, 'stale');
      const id = await created;
      await bench.rest();
      await bench.answerAll();
      assert.equal((await bench.batch(id)).status, 'completed');
      assert.equal((await bench.journal.write({ kind: 'file-removed', ...file })).result, 'changed');
      bench.contents.bytes.delete(inputFileId);
    });

    test('an account without money ends its batch: what ran is charged once, the rest is refused', async () => {
      const probe = await bench.run([chatLine('a')]);
      await bench.admit(bench.resting[0] ?? '');
      const [{ hold = 0n } = {}] = await bench.orders(probe);
      bench.pods.last.say('Hi.').finish();
      await bench.rest();

      bench.accountId = (await bench.accounts.create({ name: 'nearly dry' }, COMMAND_LINE)).id;
      await bench.transfers.credit(bench.accountId, hold, { force: true }, COMMAND_LINE);
      const id = await bench.run(['a', 'b', 'c'].map((customId) => chatLine(customId)));
      const [first = '', second = '', third = ''] = bench.resting;
      await bench.admit(first);
      await bench.admit(second);
      assert.equal((await bench.batch(id)).counts.active, 3);
      bench.pods.last.say('Hi.').finish();
      await bench.rest();
      await bench.admit(second);
      await bench.admit(third);
      await bench.rest();
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.completed, counts.failed], ['completed', 1, 2]);
      assert.deepEqual(await bench.errorCodes(id), { b: 'insufficient_balance', c: 'insufficient_balance' });
    });

    describe('a batch is canceled once, and not after its end', () => {
      const ways: Readonly<Record<string, () => Promise<string>>> = {
        completed: async () => {
          const id = await bench.run([chatLine('a')]);
          await bench.answerAll();
          return id;
        },
        failed: () => bench.run(['not JSON']),
        expired: async () => {
          const id = await bench.run([chatLine('a')], { maxWaitS: 60 });
          await bench.clock.advance(60_000);
          await bench.rest();
          return id;
        },
        cancelled: async () => {
          const id = await bench.run([chatLine('a')]);
          await bench.batches.cancel(bench.accountId, id);
          await bench.rest();
          return id;
        },
      };
      for (const [status, make] of Object.entries(ways)) {
        test(`when it is ${status}, also after a restart`, async () => {
          const id = await make();
          for (const restarted of [false, true]) {
            if (restarted) await bench.restart();
            const before = await bench.batch(id);
            assert.equal(before.status, status);
            await assert.rejects(bench.batches.cancel(bench.accountId, id), { code: 'batch_not_cancelable' });
            assert.deepEqual(await bench.batch(id), before);
          }
        });
      }

      test('of many concurrent cancels one succeeds', async () => {
        const id = await bench.run([chatLine('a'), chatLine('b')]);
        const cancels = Array.from({ length: 5 }, () => bench.batches.cancel(bench.accountId, id));
        const refused = (await Promise.allSettled(cancels)).flatMap((each) =>
          each.status === 'rejected' ? [each.reason.code] : [],
        );
        assert.deepEqual(refused, Array(4).fill('batch_not_cancelable'));
        await bench.rest();
        assert.equal((await bench.batch(id)).counts.canceled, 2);
      });
    });

    test('only its own account can cancel a batch', async () => {
      const id = await bench.run([chatLine('a')]);
      for (const accountId of ['other', '']) {
        await assert.rejects(bench.batches.cancel(accountId, id), { code: 'not_found' });
      }
      await assert.rejects(bench.batches.cancel(bench.accountId, 'batch_000000000000000000000000'), {
        code: 'not_found',
      });
      assert.equal((await bench.batch(id)).status, 'in_progress');
      await bench.answerAll();
      assert.equal((await bench.batch(id)).status, 'completed');
    });

    test('a suspended account loses queued lines and keeps running ones, and others lose nothing', async () => {
      const { accountId } = bench;
      const id = await bench.run([chatLine('runs'), chatLine('waits')]);
      await bench.admit(bench.resting[0] ?? '');
      const pod = bench.pods.last;
      bench.accountId = (await bench.accounts.create({ name: 'other' }, COMMAND_LINE)).id;
      await bench.transfers.credit(bench.accountId, 10_000n * 10n ** 9n, {}, COMMAND_LINE);
      const other = await bench.run([chatLine('a')]);

      await bench.accounts.suspend(accountId, COMMAND_LINE);
      await bench.clock.advance(1000);
      await bench.rest();
      pod.say('Hi.').finish();
      await bench.rest();
      assert.equal((await bench.batch(other)).status, 'in_progress');
      await bench.answerAll();
      assert.equal((await bench.batch(other)).status, 'completed');
      bench.accountId = accountId;
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.completed, counts.canceled], ['cancelled', 1, 1]);
    });

    test('an input that cannot be read for a while delays the lines that are not yet orders', async () => {
      bench.queuedLinesMax = 1;
      await bench.restart();
      const id = await bench.run([chatLine('a'), chatLine('b')]);
      bench.contents.unreadable = true;
      await bench.restart();
      await bench.answerAll();
      assert.equal((await bench.batch(id)).counts.completed, 1);
      assert.equal((await bench.batch(id)).status, 'validating');
      bench.contents.unreadable = false;
      await bench.clock.advance(1000);
      await bench.rest();
      await bench.answerAll();
      assert.deepEqual([(await bench.batch(id)).status, (await bench.orders(id)).length], ['completed', 2]);
    });

    test('a deadline that passes while no gateway runs ends the batch at the next start', async () => {
      bench.queuedLinesMax = 1;
      await bench.restart();
      const id = await bench.run([chatLine('waits'), chatLine('is no order yet')], { maxWaitS: 60 });
      await bench.batches.close();
      await bench.clock.advance(60_000);
      await bench.restart();
      await bench.clock.advance(1000);
      await bench.rest();
      assert.equal((await bench.batch(id)).status, 'expired');
      assert.deepEqual(await bench.errorCodes(id), { waits: 'expired', 'is no order yet': 'expired' });
    });

    test('batches that other gateways run take places too', async () => {
      bench.runningMax = 2;
      await bench.restart();
      const inputFileId = await bench.upload(chatLine('a'));
      const batch = batchRow({ accountId: bench.accountId, bootEpoch: bench.bootEpoch + 1 });
      await bench.journal.write({ kind: 'batch-created', batch });
      await bench.create({ inputFileId });
      await assert.rejects(bench.create({ inputFileId }), { code: 'rate_limit_error' });
      const end = { keyId: null, status: 'cancelled', atMs: bench.clock.nowMs(), total: 0, errors: null } as const;
      await bench.journal.write({
        kind: 'batch-ended',
        batchId: batch.id,
        accountId: bench.accountId,
        ...end,
        files: [],
      });
      assert.ok(await bench.create({ inputFileId }));
      await bench.rest();
    });

    test('a batch whose end is committed gives its place to the next before this process learns of it', async ({
      mock,
    }) => {
      bench.runningMax = 1;
      await bench.restart();
      const inputFileId = await bench.upload(chatLine('a'));
      const id = await bench.create({ inputFileId });
      const { journal } = bench;
      const write = journal.write.bind(journal);
      const held = Promise.withResolvers<void>();
      const { mock: replies } = mock.method(journal, 'write', async (...args: Parameters<typeof write>) => {
        const outcome = await write(...args);
        if (args[0].kind === 'batch-ended') await held.promise;
        return outcome;
      });
      await bench.batches.cancel(bench.accountId, id);
      await bench.rest();
      assert.equal((await bench.batch(id)).status, 'cancelled');
      assert.equal(bench.batches.has(id), true);
      assert.ok(await bench.create({ inputFileId }));
      held.resolve();
      replies.restore();
      await bench.rest();
    });

    test('a batch that has ended gives its place to the next, and other accounts take none', async () => {
      bench.runningMax = 1;
      await bench.restart();
      const inputFileId = await bench.upload(chatLine('a'));
      await bench.run(['not JSON']);
      const id = await bench.create({ inputFileId });
      await assert.rejects(bench.create({ inputFileId }), { code: 'rate_limit_error' });
      const { accountId } = bench;
      bench.accountId = (await bench.accounts.create({ name: 'other' }, COMMAND_LINE)).id;
      assert.ok(await bench.run([chatLine('a')]));
      bench.accountId = accountId;
      await bench.batches.cancel(accountId, id);
      await bench.rest();
      assert.ok(await bench.create({ inputFileId }));
      await bench.rest();
    });
  });
}
