/** Batches over a real database, with pods and an exchange that the test plays. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BatchFloor, chatLine, useBatchFloor } from '#testing/batch-floor.ts';
import { testedDatabases } from '#testing/databases.ts';
import { benchListing } from '#testing/desk-bench.ts';
import { CLOSING_MS_MAX } from './batches.ts';

for (const tested of testedDatabases) {
  describe(`batches on ${tested.name}`, { skip: tested.skip }, () => {
    let floor: BatchFloor;
    useBatchFloor(tested, (opened) => {
      floor = opened;
    });

    test('the lines of a batch become orders that rest at its price until its deadline', async () => {
      const id = await floor.run([chatLine('a'), chatLine('b', { price_limit: 2, max_wait: 10, price_lock: true })], {
        maxWaitS: 3600,
      });
      const orders = await floor.orders(id);
      assert.deepEqual(
        orders.map(({ customId, bid, status, priceLock, outlives }) => [customId, bid, status, priceLock, outlives]),
        [
          ['a', 5e9, 'queued', false, true],
          ['b', 2e9, 'queued', false, true],
        ],
      );
      const { status, expiresAtMs, counts } = await floor.batch(id);
      assert.deepEqual([status, expiresAtMs], ['in_progress', floor.clock.nowMs() - 200 + 3_600_000]);
      for (const order of orders) assert.equal(order.expiresAtMs, expiresAtMs);
      assert.deepEqual([counts.total, counts.active, counts.completed], [2, 2, 0]);
    });

    test('a batch of which every line is answered is completed, and its output has each answer in its shape', async () => {
      const id = await floor.run([chatLine('a'), chatLine('b')]);
      const [first] = await floor.orders(id);
      await floor.answerAll();
      const batch = await floor.batch(id);
      assert.equal(batch.status, 'completed');
      assert.deepEqual([batch.counts.completed, batch.counts.placed, batch.counts.active], [2, 2, 0]);
      const { output, errors } = await floor.entries(id);
      assert.deepEqual(errors, []);
      assert.deepEqual(output.map(({ custom_id }) => custom_id).sort(), ['a', 'b']);
      const entry = output.find(({ custom_id }) => custom_id === 'a');
      assert.ok(entry);
      assert.match(String(entry.id), /^batch_req_[0-9a-f]{24}_1$/);
      assert.equal(entry.error, null);
      const { status_code, request_id, body } = entry.response as { [field: string]: unknown; body: { id: string } };
      assert.deepEqual([status_code, request_id, body.id], [200, first?.id, `chatcmpl-${first?.id}`]);
    });

    test('what a line did not say about its price is said by the batch, then by the defaults', async () => {
      const priceLimits = { tide: 3e9 };
      const own = await floor.run([chatLine('a')], { priceLimit: null, priceLimits });
      assert.deepEqual(
        (await floor.orders(own)).map(({ bid }) => bid),
        [3e9],
      );
      const batch = await floor.run([chatLine('a'), chatLine('b', { price_limit: 1 })], { priceLimits });
      assert.deepEqual(
        (await floor.orders(batch)).map(({ bid }) => bid),
        [5e9, 1e9],
      );
    });

    test('a line whose request is refused stands in the error file, and its neighbours run', async () => {
      const lines = {
        'no body': chatLine('no body', {}, { body: undefined }),
        'no object': chatLine('no object', {}, { body: 7 }),
        'other shape': chatLine('other shape', { messages: 'Hello?' }),
        streamed: chatLine('streamed', { stream: true }),
        detached: chatLine('detached', { detached: true }),
        'bad price': chatLine('bad price', { price_limit: -1 }),
        'bad cap': chatLine('bad cap', { max_tokens: 0 }),
        'no model': chatLine('no model', { model: 'nobody' }),
        good: chatLine('good'),
      };
      const id = await floor.run(Object.values(lines));
      await floor.answerAll();
      const { status, counts } = await floor.batch(id);
      assert.deepEqual([status, counts.completed, counts.failed], ['completed', 1, 8]);
      assert.deepEqual(await floor.errorCodes(id), {
        'no body': 'invalid_request',
        'no object': 'invalid_request',
        'other shape': 'invalid_request',
        streamed: 'invalid_request',
        detached: 'invalid_request',
        'bad price': 'invalid_request',
        'bad cap': 'invalid_output_cap',
        'no model': 'model_not_found',
      });
    });

    test('a line of a market model that nobody gave a price is an invalid request', async () => {
      const id = await floor.run([chatLine('a')], { priceLimit: null });
      await floor.rest();
      assert.deepEqual(await floor.errorCodes(id), { a: 'invalid_request' });
    });

    test('a line that the balance does not cover stands in the error file', async () => {
      floor.accountId = (await floor.accounts.create({ name: 'poor' })).id;
      const id = await floor.run([chatLine('a')]);
      assert.deepEqual(await floor.errorCodes(id), { a: 'insufficient_balance' });
      assert.deepEqual(await summary(id), ['completed', 0, 1]);
    });

    test('a model that refuses, and a pod that fails, fail the line alone', async () => {
      const id = await floor.run([chatLine('refused'), chatLine('failed'), chatLine('good')]);
      const [refused = '', failed = ''] = floor.resting;
      await floor.admit(refused);
      floor.pods.last.end({ kind: 'refused', message: 'too hot' });
      await floor.admit(failed);
      floor.pods.last.say('Hi').end({ kind: 'failed', reason: 'it burned' });
      await floor.settle();
      await floor.answerAll();
      assert.deepEqual(await floor.errorCodes(id), { refused: 'invalid_request', failed: 'backend_error' });
      assert.equal((await floor.batch(id)).status, 'completed');
    });

    test('a file that cannot be run fails the batch before anything of it runs', async () => {
      const id = await floor.run([chatLine('a'), 'not JSON', chatLine('a')]);
      const batch = await floor.batch(id);
      assert.equal(batch.status, 'failed');
      assert.deepEqual(batch.errors, ['Line 2 is not valid JSON.', 'Line 3 has the custom_id of line 1.']);
      assert.equal((await floor.orders(id)).length, 0);
      assert.equal(batch.counts.total, 0);
    });

    test('more lines than may wait are taken as others end, and the batch is validating until then', async () => {
      floor.queuedLinesMax = 2;
      await floor.restart();
      const id = await floor.run(['a', 'b', 'c', 'd', 'e'].map((customId) => chatLine(customId)));
      assert.equal(floor.resting.length, 2);
      assert.equal((await floor.batch(id)).status, 'validating');
      await floor.answer(floor.resting[0] ?? '');
      await floor.rest();
      const { status, counts } = await floor.batch(id);
      assert.deepEqual([status, counts.active, counts.completed, counts.placed], ['validating', 2, 1, 1]);
      for (let turn = 0; turn < 3; turn++) await floor.answerAll();
      assert.deepEqual(await summary(id), ['completed', 5, 0]);
    });

    test('a line that is refused leaves its room to the next', async () => {
      floor.queuedLinesMax = 1;
      await floor.restart();
      const lines = Array.from({ length: 20 }, (_, at) => chatLine(`${at}`, at % 4 === 3 ? {} : { model: 'nobody' }));
      const id = await floor.run(lines);
      for (let turn = 0; turn < 5; turn++) await floor.answerAll();
      assert.deepEqual(await summary(id), ['completed', 5, 15]);
    });

    test('a gateway that closes does not wait for ever for a disk that hangs', async () => {
      const id = await floor.run([chatLine('a')]);
      floor.contents.hangAfterNextAppend = true;
      await floor.answerAll();
      let closed = false;
      void floor.batches.close().then(() => {
        closed = true;
      });
      await floor.clock.advance(CLOSING_MS_MAX - 1);
      assert.equal(closed, false);
      await floor.clock.advance(1);
      assert.equal(closed, true);
      await floor.restart();
      assert.deepEqual(await summary(id), ['completed', 1, 0]);
    });

    test('the batches of one account share the room for lines that wait', async () => {
      floor.queuedLinesMax = 3;
      await floor.restart();
      const lines = ['a', 'b', 'c'].map((customId) => chatLine(customId));
      const ids = [await floor.run(lines), await floor.run(lines), await floor.run(lines)];
      assert.equal(floor.resting.length, 3);
      for (let turn = 0; turn < 4; turn++) {
        await floor.answerAll();
        assert.ok(floor.resting.length <= 3);
      }
      for (const id of ids) assert.deepEqual(await summary(id), ['completed', 3, 0]);
    });

    test('a line with a large input waits without it, and runs with it', async () => {
      const content = 'It is long. '.repeat(1000);
      const id = await floor.run([chatLine('a', { messages: [{ role: 'user', content }] })]);
      await floor.admit(floor.resting[0] ?? '');
      await floor.settle();
      assert.deepEqual(floor.pods.last.request.generation.body.messages, [{ role: 'user', content }]);
      floor.pods.last.say('Hi.').finish();
      await floor.rest();
      assert.deepEqual(await summary(id), ['completed', 1, 0]);
    });

    test('an account that keeps nothing has no prompts kept, and its answers for a day', async () => {
      const id = await floor.run([chatLine('a')], { retentionDays: 0, logPayloads: true });
      await floor.answerAll();
      const [order] = await floor.orders(id);
      assert.equal((order?.resultExpiresAtMs ?? 0) - (order?.finishedAtMs ?? 0), 86_400_000);
      assert.deepEqual(await floor.db.knex('request_logs').pluck('order_id'), []);
      assert.deepEqual(await floor.db.knex('order_bodies').pluck('order_id'), []);
      assert.deepEqual(await summary(id), ['completed', 1, 0]);
    });

    test('a gateway that closes takes no step more, and the next one goes on', async () => {
      floor.queuedLinesMax = 1;
      await floor.restart();
      const id = await floor.run([chatLine('a'), chatLine('b')]);
      await floor.batches.close();
      await floor.answerAll();
      assert.equal((await floor.batch(id)).counts.placed, 0);
      await assert.rejects(floor.run([chatLine('a')]), { code: 'unavailable' });
      await floor.restart();
      for (let turn = 0; turn < 2; turn++) await floor.answerAll();
      assert.deepEqual(await summary(id), ['completed', 2, 0]);
    });

    test('canceling cancels what waits, lets finish what runs, and is done once', async () => {
      const id = await floor.run([chatLine('runs'), chatLine('waits')]);
      await floor.admit(floor.resting[0] ?? '');
      await floor.batches.cancel(floor.accountId, id);
      await floor.rest();
      assert.equal((await floor.batch(id)).status, 'cancelling');
      await assert.rejects(floor.batches.cancel(floor.accountId, id), { code: 'batch_not_cancelable' });
      floor.pods.last.say('Hi.').finish();
      await floor.rest();
      assert.deepEqual(await summary(id), ['cancelled', 1, 1]);
      assert.deepEqual(await floor.errorCodes(id), { waits: 'canceled' });
      assert.equal((await floor.batch(id)).counts.canceled, 1);
      await assert.rejects(floor.batches.cancel(floor.accountId, id), { code: 'batch_not_cancelable' });
      await assert.rejects(floor.batches.cancel('other', id), { code: 'not_found' });
    });

    test('canceling also reaches lines that are no orders yet, and a line that comes back to wait', async () => {
      floor.queuedLinesMax = 2;
      await floor.restart();
      const id = await floor.run(['a', 'b', 'c'].map((customId) => chatLine(customId)));
      await floor.admit(floor.resting[0] ?? '');
      await floor.batches.cancel(floor.accountId, id);
      floor.pods.last.end({ kind: 'failed', reason: 'it burned' });
      await floor.rest();
      assert.deepEqual(await summary(id), ['cancelled', 0, 3]);
      assert.deepEqual(await floor.errorCodes(id), { a: 'canceled', b: 'canceled', c: 'canceled' });
    });

    test('a batch that is canceled before it was checked lists every line as canceled', async () => {
      floor.contents.unreadable = true;
      const id = await floor.run([chatLine('a'), chatLine('b')]);
      await floor.batches.cancel(floor.accountId, id);
      floor.contents.unreadable = false;
      await floor.clock.advance(1000);
      await floor.rest();
      assert.deepEqual(await summary(id), ['cancelled', 0, 2]);
    });

    test('lines that wait at the deadline expire, those that run finish, and the batch is expired', async () => {
      floor.queuedLinesMax = 2;
      await floor.restart();
      const id = await floor.run(
        ['runs', 'waits', 'comes late'].map((customId) => chatLine(customId)),
        { maxWaitS: 60 },
      );
      await floor.admit(floor.resting[0] ?? '');
      await floor.clock.advance(60_000);
      await floor.rest();
      assert.deepEqual(await floor.errorCodes(id), { waits: 'expired', 'comes late': 'expired' });
      assert.equal((await floor.batch(id)).status, 'in_progress');
      floor.pods.last.say('Hi.').finish();
      await floor.rest();
      assert.deepEqual(await summary(id), ['expired', 1, 2]);
      assert.equal((await floor.batch(id)).counts.expired, 2);
    });

    test('a line that returns to the book waits no longer than its batch', async () => {
      const id = await floor.run([chatLine('a')], { maxWaitS: 60 });
      await floor.admit(floor.resting[0] ?? '');
      await floor.clock.advance(50_000);
      floor.pods.last.end({ kind: 'failed', reason: 'it burned' });
      await floor.settle();
      await floor.clock.advance(10_000);
      await floor.rest();
      assert.deepEqual(await summary(id), ['expired', 0, 1]);
    });

    test('a line whose prices changed with a restart does not run, whether it waited or was to come', async () => {
      floor.queuedLinesMax = 1;
      await floor.restart();
      const id = await floor.run([chatLine('waited'), chatLine('was to come')]);
      floor.listing = benchListing({ tariff: { ...floor.listing.tariff, id: 'market:1:1:1' } });
      await floor.restart();
      await floor.clock.advance(1000);
      await floor.rest();
      assert.deepEqual(await floor.errorCodes(id), { waited: 'prices_changed', 'was to come': 'prices_changed' });
      assert.deepEqual(await summary(id), ['completed', 0, 2]);
    });

    test('the batches of a suspended account are canceled', async () => {
      floor.queuedLinesMax = 1;
      await floor.restart();
      const id = await floor.run([chatLine('a'), chatLine('b')]);
      await floor.accounts.suspend(floor.accountId);
      await floor.clock.advance(1000);
      await floor.rest();
      assert.deepEqual(await summary(id), ['cancelled', 0, 2]);
      assert.deepEqual(await floor.errorCodes(id), { a: 'canceled', b: 'canceled' });
    });

    test('a disk that is full in the middle of a file delays the batch and loses nothing', async () => {
      const id = await floor.run([chatLine('a'), chatLine('b')]);
      floor.contents.full = true;
      await floor.answerAll();
      assert.equal((await floor.batch(id)).counts.placed, 0);
      floor.contents.full = false;
      await floor.clock.advance(1000);
      await floor.rest();
      assert.deepEqual(await summary(id), ['completed', 2, 0]);
    });

    test('an input that is gone fails the batch, and lines that ran keep their output', async () => {
      const whole = await floor.upload(chatLine('a'));
      floor.contents.bytes.delete(whole);
      const unchecked = await floor.create({ inputFileId: whole });
      await floor.rest();
      assert.deepEqual((await floor.batch(unchecked)).errors, ['The input file is gone.']);
      assert.equal((await floor.batch(unchecked)).status, 'failed');

      floor.queuedLinesMax = 1;
      await floor.restart();
      const begun = await floor.run([chatLine('a'), chatLine('b')]);
      const { inputFileId: half } = await floor.batch(begun);
      floor.contents.bytes.delete(half);
      await floor.restart();
      await floor.answerAll();
      const { status, counts } = await floor.batch(begun);
      assert.deepEqual([status, counts.total, counts.completed], ['failed', 1, 1]);
      assert.equal((await floor.entries(begun)).output.length, 1);

      // The audit would rightly miss what the rows still promise.
      const { accountId } = floor;
      for (const id of [whole, half]) await floor.journal.write({ kind: 'file-emptied', accountId, id });
    });

    test('an answer that is deleted before it was placed is an error of its line', async () => {
      const id = await floor.run([chatLine('a')]);
      floor.contents.full = true;
      const [orderId = ''] = floor.resting;
      await floor.answer(orderId);
      await floor.rest();
      await floor.journal.write({ kind: 'result-removed', orderId, accountId: floor.accountId });
      await floor.results.delete(orderId);
      floor.contents.full = false;
      await floor.clock.advance(1000);
      await floor.rest();
      assert.deepEqual(await floor.errorCodes(id), { a: 'result_unavailable' });
      assert.deepEqual(await summary(id), ['completed', 0, 1]);
    });

    describe('after a kill', () => {
      test('a batch that was being checked is checked again', async () => {
        floor.contents.unreadable = true;
        const id = await floor.run([chatLine('a')]);
        floor.contents.unreadable = false;
        await floor.restart();
        await floor.answerAll();
        assert.deepEqual(await summary(id), ['completed', 1, 0]);
      });

      test('a batch that was being fanned out goes on with the lines that are no orders yet', async () => {
        floor.queuedLinesMax = 2;
        await floor.restart();
        const id = await floor.run(['a', 'b', 'c', 'd'].map((customId) => chatLine(customId)));
        await floor.answer(floor.resting[0] ?? '');
        await floor.restart();
        for (let turn = 0; turn < 3; turn++) await floor.answerAll();
        assert.deepEqual(await summary(id), ['completed', 4, 0]);
        assert.equal((await floor.orders(id)).length, 4);
      });

      test('lines that ended meanwhile are placed, and lines that wait or ran go on', async () => {
        const id = await floor.run(['a', 'b', 'c'].map((customId) => chatLine(customId)));
        const [first = '', second = ''] = floor.resting;
        await floor.answer(first);
        await floor.admit(second);
        await floor.restart();
        assert.equal((await floor.batch(id)).counts.placed, 1);
        await floor.answerAll();
        assert.deepEqual(await summary(id), ['completed', 3, 0]);
      });

      test('what reached the disk and was never noted is written once', async () => {
        const id = await floor.run([chatLine('a'), chatLine('b')]);
        floor.contents.hangAfterNextAppend = true;
        await floor.answerAll();
        const { counts, outputFileId } = await floor.batch(id);
        assert.equal(counts.placed, 0);
        assert.equal(floor.contents.lines(outputFileId).length, 2);
        await floor.restart();
        assert.deepEqual(await summary(id), ['completed', 2, 0]);
      });

      test('a batch that was being canceled is canceled to its end', async () => {
        const id = await floor.run([chatLine('runs'), chatLine('waits')]);
        await floor.admit(floor.resting[0] ?? '');
        await floor.batches.cancel(floor.accountId, id);
        await floor.restart();
        assert.deepEqual(await summary(id), ['cancelled', 0, 2]);
      });
    });

    test('a batch needs an input that is there, and a place among those that run', async () => {
      const inputFileId = await floor.upload(chatLine('a'));
      await assert.rejects(floor.create({ inputFileId: `file-${'0'.repeat(32)}` }), { code: 'not_found' });
      await assert.rejects(floor.create({ inputFileId, accountId: 'other' }), { code: 'not_found' });
      const done = await floor.run([chatLine('a')]);
      await floor.answerAll();
      const output = (await floor.batch(done)).outputFileId;
      await assert.rejects(floor.create({ inputFileId: output }), { code: 'invalid_request', param: 'input_file_id' });

      const made = await Promise.allSettled(Array.from({ length: 7 }, () => floor.create({ inputFileId })));
      const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      assert.deepEqual(
        refused.map(({ code, retryAfterS }) => [code, retryAfterS]),
        [
          ['rate_limit_error', 60],
          ['rate_limit_error', 60],
        ],
      );
      await floor.db.knex('files').update({ expires_at_ms: floor.clock.nowMs() });
      await assert.rejects(floor.create({ inputFileId }), { code: 'result_unavailable' });
    });

    test('a custom id is any string, and comes back as it was', async () => {
      const customIds = ['', ' ', '漢字🎉', 'a\u0000b', '\ud800', 'x'.repeat(65_536), '"\\\n', '__proto__'];
      const id = await floor.run(customIds.map((customId) => chatLine(customId)));
      await floor.answerAll();
      const { output } = await floor.entries(id);
      assert.deepEqual(output.map(({ custom_id }) => custom_id).sort(), customIds.toSorted());
      assert.deepEqual((await floor.orders(id)).map(({ customId }) => customId).sort(), customIds.toSorted());
    });

    /** Status and counts, which must be those of the lines in the two files. */
    async function summary(id: string): Promise<[string, number, number]> {
      const { status, counts } = await floor.batch(id);
      const { output, errors } = await floor.entries(id);
      assert.deepEqual([output.length, errors.length], [counts.completed, counts.failed]);
      const customIds = [...output, ...errors].map(({ custom_id }) => custom_id);
      assert.equal(new Set(customIds).size, customIds.length);
      return [status, counts.completed, counts.failed];
    }
  });
}
