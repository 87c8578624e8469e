/** The audit of batches finds each way in which one can be wrong. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { BatchFloor, chatLine } from '#testing/batch-floor.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { audit } from './index.ts';

for (const tested of testedDatabases) {
  describe(`the audit of batches on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    let floor: BatchFloor;
    /** A batch with one line in each of its files. */
    let id: string;

    beforeEach(async () => {
      opened = await openTested(tested);
      floor = new BatchFloor(opened.db);
      await floor.open();
      id = await floor.run([chatLine('good'), chatLine('bad', { model: 'nobody' })]);
      await floor.answerAll();
      assert.deepEqual(await findings(), []);
    });
    afterEach(async () => {
      await floor.close();
      await opened.drop();
    });

    const findings = async () =>
      (await audit(opened.db, null, { nowMs: floor.clock.nowMs(), contents: floor.contents })).findings;
    async function finds(pattern: RegExp): Promise<void> {
      const found = await findings();
      assert.ok(
        found.some((sentence) => sentence.includes(id) && pattern.test(sentence)),
        found.join('\n'),
      );
    }

    for (const count of ['active', 'completed', 'failed', 'expired', 'canceled', 'placed']) {
      test(`lines that are counted as ${count} and are not`, async () => {
        await opened.db.knex('batches').where({ id }).increment(count, 1);
        await finds(new RegExp(`as ${count} and`));
      });
    }

    test('a line that ended in no file', async () => {
      await opened.db.knex('batch_lines').where({ batch_id: id, line: 1 }).update({ placed: null });
      await finds(/has ended with 2 lines, of which 1 are in its files/);
    });

    test('an order that is two lines, and one that is none', async () => {
      const [order] = await floor.orders(id);
      const line = { batch_id: id, line: 3, custom_id: '"again"', order_id: order?.id, placed: 'output' };
      await opened.db.knex('batch_lines').insert(line);
      await finds(/1 orders for 2 of its lines/);
      await opened.db.knex('batch_lines').where({ batch_id: id }).whereNotNull('order_id').delete();
      await finds(/1 orders for 0 of its lines/);
    });

    test('a file with a line too few, one too many, and a part of one', async () => {
      const { outputFileId } = await floor.batch(id);
      const whole = floor.contents.bytes.get(outputFileId) ?? Buffer.alloc(0);
      const halves = Buffer.from(whole);
      halves[10] = 10;
      for (const wrong of [Buffer.alloc(0), whole.subarray(0, -1), halves]) {
        floor.contents.bytes.set(outputFileId, wrong);
        await finds(/has (-1|2) lines instead of 1/);
      }
    });

    test('a file that is not as long as its batch says', async () => {
      await opened.db.knex('batches').where({ id }).update({ error_bytes: 1 });
      await finds(/is not as long as batch/);
    });
  });
}
