/** Batches over a real database, with pods and an exchange played by the test. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { type BatchBench, chatLine, useBatchBench } from '#testing/batch-bench.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { testedDatabases } from '#testing/databases.ts';
import { CLOSING_MS_MAX } from './batches.ts';

for (const tested of testedDatabases) {
  describe(`batches on ${tested.name}`, { skip: tested.skip }, () => {
    let bench: BatchBench;
    useBatchBench(tested, (opened) => {
      bench = opened;
    });

    // Spec 4.7-7
    test('the lines of a batch become orders that rest at its price until its deadline', async () => {
      const id = await bench.run([chatLine('a'), chatLine('b', { price_limit: 2, max_wait: 10, price_lock: true })], {
        maxWaitS: 3600,
      });
      const orders = await bench.orders(id);
      assert.deepEqual(
        orders
          .map(({ customId, bid, status, priceLock, outlives }) => [customId, bid, status, priceLock, outlives])
          .sort(([one], [other]) => String(one).localeCompare(String(other))),
        [
          ['a', 5e9, 'queued', false, true],
          ['b', 2e9, 'queued', false, true],
        ],
      );
      const { status, expiresAtMs, counts } = await bench.batch(id);
      assert.deepEqual([status, expiresAtMs], ['in_progress', bench.clock.nowMs() - 200 + 3_600_000]);
      for (const order of orders) assert.equal(order.expiresAtMs, expiresAtMs);
      assert.deepEqual([counts.total, counts.active, counts.completed], [2, 2, 0]);
    });

    test('a batch whose lines are all answered is completed, and its output has each answer in its shape', async () => {
      const id = await bench.run([chatLine('a'), chatLine('b')]);
      const [first] = await bench.orders(id);
      await bench.answerAll();
      const batch = await bench.batch(id);
      assert.equal(batch.status, 'completed');
      assert.deepEqual([batch.counts.completed, batch.counts.placed, batch.counts.active], [2, 2, 0]);
      const { output, errors } = await bench.entries(id);
      assert.deepEqual(errors, []);
      assert.deepEqual(output.map(({ custom_id }) => custom_id).sort(), ['a', 'b']);
      const entry = output.find(({ custom_id }) => custom_id === 'a');
      assert.ok(entry);
      assert.match(String(entry.id), /^batch_req_[0-9a-f]{24}_1$/);
      assert.equal(entry.error, null);
      const { status_code, request_id, body } = entry.response as { [field: string]: unknown; body: { id: string } };
      assert.deepEqual([status_code, request_id, body.id], [200, first?.id, `chatcmpl-${first?.id}`]);
    });

    test('a batch that cannot be resumed is returned, holds up no other and can be resumed later', async (t) => {
      const { accountId, bootEpoch, journal } = bench;
      const inputFileId = await bench.upload(chatLine('a'));
      const made = () => batchRow({ accountId, bootEpoch, inputFileId });
      const [broken, whole] = [made(), made()];
      for (const batch of [broken, whole]) await journal.write({ kind: 'batch-created', batch });
      await journal.write({ kind: 'batch-moved', batchId: broken.id, to: 'cancelling', atMs: bench.clock.nowMs() });
      const rows = [await bench.batch(broken.id), await bench.batch(whole.id)];
      const planted = t.mock.method(bench.orderService, 'cancelLines', () => {
        throw new Error('planted');
      });
      const apart = await bench.batches.resume(rows);
      planted.mock.restore();
      assert.deepEqual(
        apart.map(({ id }) => id),
        [broken.id],
      );
      assert.deepEqual([bench.batches.has(broken.id), bench.batches.has(whole.id)], [false, true]);
      assert.deepEqual(await bench.batches.resume(rows.slice(0, 1)), []);
      await bench.rest();
      assert.equal((await bench.batch(broken.id)).status, 'cancelled');
    });

    test('a batch whose row commits too late is refused, and canceled before a line runs', async () => {
      const inputFileId = await bench.upload(chatLine('a'));
      // Where connections read what is committed, only this level also locks the place of a row that is not there yet.
      const isSqlite = bench.db.dialect.name === 'sqlite';
      const lock = await bench.db.knex.transaction(isSqlite ? {} : { isolationLevel: 'repeatable read' });
      await lock('batches').update({ created_at_ms: 0 });
      const created = bench.create({ inputFileId });
      let isWaiting = true;
      const ended = created.finally(() => {
        isWaiting = false;
      });
      ended.catch(() => {});
      while (isWaiting) await bench.clock.advance(100);
      await assert.rejects(created, { status: 503, code: 'unavailable', retryAfterS: 1 });
      await lock.rollback();
      await eventuallyOneBatch(bench);
      await bench.rest();
      const [row] = await bench.db.knex('batches');
      assert.equal((await bench.batch(String(row.id))).status, 'cancelled');
      assert.deepEqual(bench.pods.attempts, []);
      assert.ok((await bench.orders(String(row.id))).every(({ status }) => status === 'canceled'));
    });

    // Spec 4.8-27, 4.8-28
    test('a line without a price limit takes that of the batch, then the defaults', async () => {
      const priceLimits = { tide: 3e9 };
      const own = await bench.run([chatLine('a')], { limit: null, priceLimits });
      assert.deepEqual(
        (await bench.orders(own)).map(({ bid }) => bid),
        [3e9],
      );
      const batch = await bench.run([chatLine('a'), chatLine('b', { price_limit: 1 })], { priceLimits });
      assert.deepEqual(
        (await bench.orders(batch)).map(({ bid }) => bid),
        [5e9, 1e9],
      );
    });

    test('a line whose request is refused is in the error file, and its neighbours run', async () => {
      const lines = {
        'no body': chatLine('no body', {}, { body: undefined }),
        'no object': chatLine('no object', {}, { body: 7 }),
        'other shape': chatLine('other shape', { messages: 'Hello?' }),
        'odd metadata': chatLine('odd metadata', { metadata: 'odd' }),
        streamed: chatLine('streamed', { stream: true }),
        'own deadline': chatLine('own deadline', { deadline: 3600 }),
        detached: chatLine('detached', { detached: true }),
        'bad price': chatLine('bad price', { price_limit: -1 }),
        'bad cap': chatLine('bad cap', { max_tokens: 0 }),
        'no model': chatLine('no model', { model: 'nobody' }),
        good: chatLine('good', { temperature: null, seed: null, price_lock: null }),
      };
      const id = await bench.run(Object.values(lines));
      await bench.answerAll();
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.completed, counts.failed], ['completed', 1, 10]);
      assert.deepEqual(await bench.errorCodes(id), {
        'no body': 'invalid_request',
        'no object': 'invalid_request',
        'other shape': 'invalid_request',
        'odd metadata': 'invalid_request',
        streamed: 'invalid_request',
        'own deadline': 'invalid_request',
        detached: 'invalid_request',
        'bad price': 'invalid_request',
        'bad cap': 'invalid_output_cap',
        'no model': 'model_not_found',
      });
    });

    // Spec 4.8-31
    test('a line of a market model without any price limit is an invalid request', async () => {
      const id = await bench.run([chatLine('a')], { limit: null });
      await bench.rest();
      assert.deepEqual(await bench.errorCodes(id), { a: 'invalid_request' });
    });

    test('a line that the balance does not cover is in the error file', async () => {
      bench.accountId = (await bench.accounts.create({ name: 'poor' }, COMMAND_LINE)).id;
      const id = await bench.run([chatLine('a')]);
      assert.deepEqual(await bench.errorCodes(id), { a: 'insufficient_balance' });
      assert.deepEqual(await summary(id), ['completed', 0, 1]);
    });

    test('a model that refuses, and a pod that fails, fail the line alone', async () => {
      const id = await bench.run([chatLine('refused'), chatLine('failed'), chatLine('good')]);
      const [refused = '', failed = ''] = bench.resting;
      await bench.admit(refused);
      bench.pods.last.end({ kind: 'refused', message: 'too hot' });
      await bench.admit(failed);
      bench.pods.last.say('Hi').end({ kind: 'failed', reason: 'it burned' });
      await bench.settle();
      await bench.answerAll();
      assert.deepEqual(await bench.errorCodes(id), { refused: 'invalid_request', failed: 'backend_error' });
      assert.equal((await bench.batch(id)).status, 'completed');
    });

    test('a file that cannot be run fails the batch before any of its lines runs', async () => {
      const id = await bench.run([chatLine('a'), 'not JSON', chatLine('a')]);
      const batch = await bench.batch(id);
      assert.equal(batch.status, 'failed');
      assert.deepEqual(batch.errors, ['Line 2 is not valid JSON.', 'Line 3 has the custom_id of line 1.']);
      assert.equal((await bench.orders(id)).length, 0);
      assert.equal(batch.counts.total, 0);
    });

    // Spec 3-26, 8-25, 8-26
    test('lines beyond the queue limit become orders as others end, and the batch is validating until then', async () => {
      bench.queuedLinesMax = 2;
      await bench.restart();
      const id = await bench.run(['a', 'b', 'c', 'd', 'e'].map((customId) => chatLine(customId)));
      assert.equal(bench.resting.length, 2);
      assert.equal((await bench.batch(id)).status, 'validating');
      await bench.answer(bench.resting[0] ?? '');
      await bench.rest();
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.active, counts.completed, counts.placed], ['validating', 2, 1, 1]);
      for (let turn = 0; turn < 3; turn++) await bench.answerAll();
      assert.deepEqual(await summary(id), ['completed', 5, 0]);
    });

    test('a refused line gives its room to the next', async () => {
      bench.queuedLinesMax = 1;
      await bench.restart();
      const lines = Array.from({ length: 20 }, (_, at) => chatLine(`${at}`, at % 4 === 3 ? {} : { model: 'nobody' }));
      const id = await bench.run(lines);
      for (let turn = 0; turn < 5; turn++) await bench.answerAll();
      assert.deepEqual(await summary(id), ['completed', 5, 15]);
    });

    test('a gateway that closes does not wait forever for a disk that hangs', async () => {
      const id = await bench.run([chatLine('a')]);
      bench.contents.hangAfterNextAppend = true;
      await bench.answerAll();
      let closed = false;
      void bench.batches.close().then(() => {
        closed = true;
      });
      await bench.clock.advance(CLOSING_MS_MAX - 1);
      assert.equal(closed, false);
      await bench.clock.advance(1);
      assert.equal(closed, true);
      await bench.restart();
      assert.deepEqual(await summary(id), ['completed', 1, 0]);
    });

    test('the batches of one account share the room for lines that wait', async () => {
      bench.queuedLinesMax = 3;
      await bench.restart();
      const lines = ['a', 'b', 'c'].map((customId) => chatLine(customId));
      const ids = [await bench.run(lines), await bench.run(lines), await bench.run(lines)];
      assert.equal(bench.resting.length, 3);
      for (let turn = 0; turn < 4; turn++) {
        await bench.answerAll();
        assert.ok(bench.resting.length <= 3);
      }
      for (const id of ids) assert.deepEqual(await summary(id), ['completed', 3, 0]);
    });

    test('a line with a large input waits without it, and runs with it', async () => {
      const content = 'It is long. '.repeat(1000);
      const id = await bench.run([chatLine('a', { messages: [{ role: 'user', content }] })]);
      await bench.admit(bench.resting[0] ?? '');
      await bench.settle();
      assert.deepEqual(bench.pods.last.request.generation.body.messages, [{ role: 'user', content }]);
      bench.pods.last.say('Hi.').finish();
      await bench.rest();
      assert.deepEqual(await summary(id), ['completed', 1, 0]);
    });

    test('an account without retention has no prompts kept, and its answers for a day', async () => {
      const id = await bench.run([chatLine('a')], { retentionDays: 0, logPayloads: true });
      await bench.answerAll();
      const [order] = await bench.orders(id);
      assert.equal((order?.resultExpiresAtMs ?? 0) - (order?.finishedAtMs ?? 0), 86_400_000);
      assert.deepEqual(await bench.db.knex('request_logs').pluck('order_id'), []);
      assert.deepEqual(await bench.db.knex('order_bodies').pluck('order_id'), []);
      assert.deepEqual(await summary(id), ['completed', 1, 0]);
    });

    test('a gateway that closes takes no further step, and the next one continues', async () => {
      bench.queuedLinesMax = 1;
      await bench.restart();
      const id = await bench.run([chatLine('a'), chatLine('b')]);
      await bench.batches.close();
      await bench.answerAll();
      assert.equal((await bench.batch(id)).counts.placed, 0);
      await assert.rejects(bench.run([chatLine('a')]), { code: 'unavailable' });
      await bench.restart();
      for (let turn = 0; turn < 2; turn++) await bench.answerAll();
      assert.deepEqual(await summary(id), ['completed', 2, 0]);
    });

    test('a disk that is full in the middle of a file delays the batch and loses nothing', async () => {
      const id = await bench.run([chatLine('a'), chatLine('b')]);
      bench.contents.full = true;
      await bench.answerAll();
      assert.equal((await bench.batch(id)).counts.placed, 0);
      bench.contents.full = false;
      await bench.clock.advance(1000);
      await bench.rest();
      assert.deepEqual(await summary(id), ['completed', 2, 0]);
    });

    test('an input that is gone fails the batch, and lines that ran keep their output', async () => {
      const whole = await bench.upload(chatLine('a'));
      bench.contents.bytes.delete(whole);
      const unchecked = await bench.create({ inputFileId: whole });
      await bench.rest();
      assert.deepEqual((await bench.batch(unchecked)).errors, ['The input file is gone; upload it again.']);
      assert.equal((await bench.batch(unchecked)).status, 'failed');

      bench.queuedLinesMax = 1;
      await bench.restart();
      const begun = await bench.run([chatLine('a'), chatLine('b')]);
      const { inputFileId: half } = await bench.batch(begun);
      bench.contents.bytes.delete(half);
      await bench.restart();
      await bench.answerAll();
      const { status, counts } = await bench.batch(begun);
      assert.deepEqual([status, counts.total, counts.completed], ['failed', 1, 1]);
      assert.equal((await bench.entries(begun)).output.length, 1);

      // The audit would rightly report that promised results are missing.
      const { accountId } = bench;
      for (const id of [whole, half]) await bench.journal.write({ kind: 'file-emptied', accountId, id });
    });

    test('an answer that is deleted before it was placed is an error of its line', async () => {
      const id = await bench.run([chatLine('a')]);
      bench.contents.full = true;
      const [orderId = ''] = bench.resting;
      await bench.answer(orderId);
      await bench.rest();
      await bench.journal.write({ kind: 'result-removed', orderId, accountId: bench.accountId });
      await bench.results.delete(orderId);
      bench.contents.full = false;
      await bench.clock.advance(1000);
      await bench.rest();
      assert.deepEqual(await bench.errorCodes(id), { a: 'result_unavailable' });
      assert.deepEqual(await summary(id), ['completed', 0, 1]);
    });

    describe('after a kill', () => {
      test('a batch that was being checked is checked again', async () => {
        bench.contents.unreadable = true;
        const id = await bench.run([chatLine('a')]);
        bench.contents.unreadable = false;
        await bench.restart();
        await bench.answerAll();
        assert.deepEqual(await summary(id), ['completed', 1, 0]);
      });

      test('a batch that was being submitted continues with the lines that are no orders yet', async () => {
        bench.queuedLinesMax = 2;
        await bench.restart();
        const id = await bench.run(['a', 'b', 'c', 'd'].map((customId) => chatLine(customId)));
        await bench.answer(bench.resting[0] ?? '');
        await bench.restart();
        for (let turn = 0; turn < 3; turn++) await bench.answerAll();
        assert.deepEqual(await summary(id), ['completed', 4, 0]);
        assert.equal((await bench.orders(id)).length, 4);
      });

      test('lines that ended meanwhile are placed, and queued or running lines go on', async () => {
        const id = await bench.run(['a', 'b', 'c'].map((customId) => chatLine(customId)));
        const [first = '', second = ''] = bench.resting;
        await bench.answer(first);
        await bench.admit(second);
        await bench.restart();
        assert.equal((await bench.batch(id)).counts.placed, 1);
        await bench.answerAll();
        assert.deepEqual(await summary(id), ['completed', 3, 0]);
      });

      test('bytes that reached the disk and were never committed are written once', async () => {
        const id = await bench.run([chatLine('a'), chatLine('b')]);
        bench.contents.hangAfterNextAppend = true;
        await bench.answerAll();
        const { counts, outputFileId } = await bench.batch(id);
        assert.equal(counts.placed, 0);
        assert.equal(bench.contents.lines(outputFileId).length, 2);
        await bench.restart();
        assert.deepEqual(await summary(id), ['completed', 2, 0]);
      });

      test('a batch that was being canceled is canceled to its end', async () => {
        const id = await bench.run([chatLine('runs'), chatLine('waits')]);
        await bench.admit(bench.resting[0] ?? '');
        await bench.batches.cancel(bench.accountId, id);
        await bench.restart();
        assert.deepEqual(await summary(id), ['cancelled', 0, 2]);
      });
    });

    test('a batch needs an input that exists, and room among the active batches', async () => {
      const inputFileId = await bench.upload(chatLine('a'));
      await assert.rejects(bench.create({ inputFileId: `file-${'0'.repeat(32)}` }), { code: 'not_found' });
      await assert.rejects(bench.create({ inputFileId, accountId: 'other' }), { code: 'not_found' });
      const done = await bench.run([chatLine('a')]);
      await bench.answerAll();
      const output = (await bench.batch(done)).outputFileId;
      await assert.rejects(bench.create({ inputFileId: output }), { code: 'invalid_request', param: 'input_file_id' });

      const made = await Promise.allSettled(Array.from({ length: 7 }, () => bench.create({ inputFileId })));
      const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      assert.deepEqual(
        refused.map(({ code, retryAfterS }) => [code, retryAfterS]),
        [
          ['rate_limit_error', 60],
          ['rate_limit_error', 60],
        ],
      );
      await bench.db.knex('files').update({ expires_at_ms: bench.clock.nowMs() });
      await assert.rejects(bench.create({ inputFileId }), { code: 'result_unavailable' });
    });

    test('a custom id is any string, and comes back as it was', async () => {
      const customIds = ['', ' ', '漢字🎉', 'a\u0000b', '\ud800', 'x'.repeat(65_536), '"\\\n', '__proto__'];
      const id = await bench.run(customIds.map((customId) => chatLine(customId)));
      await bench.answerAll();
      const { output } = await bench.entries(id);
      assert.deepEqual(output.map(({ custom_id }) => custom_id).sort(), customIds.toSorted());
      assert.deepEqual((await bench.orders(id)).map(({ customId }) => customId).sort(), customIds.toSorted());
    });

    /** Status and counts; the counts must match the lines in the two files. */
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

/** The journal of SQLite gets no turn while the file is locked, and tries again after a while. */
async function eventuallyOneBatch(bench: BatchBench): Promise<void> {
  while ((await bench.db.knex('batches')).length === 0) await bench.clock.advance(20);
}
