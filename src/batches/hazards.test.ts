/** Batches under what an unlucky or a hostile owner does to them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LiveOrder } from '#orders/live-order.ts';
import { type BatchFloor, chatLine, useBatchFloor } from '#testing/batch-floor.ts';
import { testedDatabases } from '#testing/databases.ts';

const MESSAGES = '/v1/messages';

for (const tested of testedDatabases) {
  describe(`hazards of batches on ${tested.name}`, { skip: tested.skip }, () => {
    let floor: BatchFloor;
    useBatchFloor(tested, (opened) => {
      floor = opened;
    });

    test('a refusal that repeats a megabyte of its request is cut short in the error file', async () => {
      const content = [{ type: '漢'.repeat(350_000), text: '' }];
      const body = { model: 'tide', max_tokens: 5, messages: [{ role: 'user', content }] };
      const line = chatLine('a', {}, { url: MESSAGES, body });
      const id = await floor.run([line], { kind: 'messages' });
      assert.deepEqual(await floor.errorCodes(id), { a: 'invalid_request' });
      const { errors } = await floor.entries(id);
      assert.ok(JSON.stringify(errors[0]).length < 2000);
      assert.equal((await floor.batch(id)).status, 'completed');
    });

    test('an id that only a database takes for that of a file names none', async () => {
      const inputFileId = await floor.upload(chatLine('a'));
      for (const other of [`${inputFileId} `, inputFileId.toUpperCase(), `${inputFileId}\u0000`]) {
        await assert.rejects(floor.create({ inputFileId: other }), { code: 'not_found' });
      }
    });

    test('a line that is refused leaves its place to the next one', async () => {
      floor.queuedLinesMax = 1;
      await floor.restart();
      const id = await floor.run([chatLine('refused', { model: 'nobody' }), chatLine('good')]);
      assert.equal(floor.resting.length, 1);
      await floor.answerAll();
      assert.equal((await floor.batch(id)).status, 'completed');
    });

    test('a line that runs leaves its place to the next one', async () => {
      floor.queuedLinesMax = 1;
      await floor.restart();
      await floor.run([chatLine('runs'), chatLine('waits')]);
      await floor.admit(floor.resting[0] ?? '');
      floor.pods.last.say('Hi.');
      await floor.settle();
      assert.equal(floor.resting.length, 1);
      floor.pods.last.finish();
      await floor.settle();
      await floor.answerAll();
    });

    test('hundreds of lines that end together leave the journal to others', async () => {
      const id = await floor.run(Array.from({ length: 300 }, (_, index) => chatLine(`line ${index}`)));
      const canceled = floor.batches.cancel(floor.accountId, id);
      assert.ok(floor.journal.pending < 100, `${floor.journal.pending} units wait`);
      await canceled;
      await floor.rest();
      const { status, counts } = await floor.batch(id);
      assert.deepEqual([status, counts.canceled, counts.placed], ['cancelled', 300, 300]);
    });

    test('of an account that keeps nothing no request is kept either', async () => {
      await floor.run([chatLine('a')], { retentionDays: 0, logPayloads: true });
      assert.equal((await floor.db.knex('request_logs')).length, 0);
      await floor.answerAll();
    });

    test('a long custom id is not held while its line waits, also by the next process', async () => {
      const customId = 'x'.repeat(60_000);
      const id = await floor.run([chatLine(customId)]);
      for (const kill of [false, true]) {
        if (kill) await floor.restart();
        const held = floor.desk.ticket(floor.resting[0] ?? '');
        assert.ok(held instanceof LiveOrder);
        assert.equal(held.row.customId, null);
        assert.equal((await floor.orders(id))[0]?.customId, customId);
      }
      await floor.answerAll();
      assert.equal((await floor.entries(id)).output[0]?.custom_id, customId);
    });

    test('whoever looked before a batch came takes its input away no more, until it has ended', async () => {
      const inputFileId = await floor.upload(chatLine('a'));
      const { accountId } = floor;
      const created = floor.create({ inputFileId });
      await floor.settle();
      const file = { accountId, id: inputFileId };
      assert.equal((await floor.journal.write({ kind: 'file-emptied', ...file })).result, 'stale');
      assert.equal((await floor.journal.write({ kind: 'file-removed', ...file })).result, 'stale');
      const id = await created;
      await floor.rest();
      await floor.answerAll();
      assert.equal((await floor.batch(id)).status, 'completed');
      assert.equal((await floor.journal.write({ kind: 'file-removed', ...file })).result, 'changed');
      floor.contents.bytes.delete(inputFileId);
    });

    test('an account that runs dry ends its batch: what ran is charged once, the rest is refused', async () => {
      const probe = await floor.run([chatLine('a')]);
      await floor.admit(floor.resting[0] ?? '');
      const [{ hold = 0n } = {}] = await floor.orders(probe);
      floor.pods.last.say('Hi.').finish();
      await floor.rest();

      floor.accountId = (await floor.accounts.create({ name: 'nearly dry' })).id;
      await floor.treasury.credit(floor.accountId, hold, { force: true });
      const id = await floor.run(['a', 'b', 'c'].map((customId) => chatLine(customId)));
      const [first = '', second = '', third = ''] = floor.resting;
      await floor.admit(first);
      await floor.admit(second);
      assert.equal((await floor.batch(id)).counts.active, 3);
      floor.pods.last.say('Hi.').finish();
      await floor.rest();
      await floor.admit(second);
      await floor.admit(third);
      await floor.rest();
      const { status, counts } = await floor.batch(id);
      assert.deepEqual([status, counts.completed, counts.failed], ['completed', 1, 2]);
      assert.deepEqual(await floor.errorCodes(id), { b: 'insufficient_balance', c: 'insufficient_balance' });
    });
  });
}
