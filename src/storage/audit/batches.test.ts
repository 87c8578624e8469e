/** The audit of batches finds each kind of damage. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { BatchBench, chatLine } from '#testing/batch-bench.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { audit } from './index.ts';

for (const tested of testedDatabases) {
  describe(`the audit of batches on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    let bench: BatchBench;
    /** A batch with one line in each of its files. */
    let id: string;

    beforeEach(async () => {
      opened = await openTested(tested);
      bench = new BatchBench(opened.db);
      await bench.open();
      id = await bench.run([chatLine('good'), chatLine('bad', { model: 'nobody' })]);
      await bench.answerAll();
      assert.deepEqual(await findings(), []);
    });
    afterEach(async () => {
      await bench.close();
      await opened.drop();
    });

    const findings = async () =>
      (await audit(opened.db, null, { nowMs: bench.clock.nowMs(), contents: bench.contents })).findings;
    async function finds(pattern: RegExp): Promise<void> {
      const found = await findings();
      assert.ok(
        found.some((sentence) => sentence.includes(id) && pattern.test(sentence)),
        found.join('\n'),
      );
    }

    for (const count of ['active', 'completed', 'failed', 'expired', 'canceled', 'placed']) {
      test(`a wrong count of ${count} lines`, async () => {
        await opened.db.knex('batches').where({ id }).increment(count, 1);
        await finds(new RegExp(`as ${count} and`));
      });
    }

    test('an ended line that is in no file', async () => {
      await opened.db.knex('batch_lines').where({ batch_id: id, line: 1 }).update({ placed: null });
      await finds(/has ended with 2 lines, but 1 are in its files/);
    });

    test('an order of two lines, and one of none', async () => {
      const [order] = await bench.orders(id);
      const line = { batch_id: id, line: 3, custom_id: '"again"', order_id: order?.id, placed: 'output' };
      await opened.db.knex('batch_lines').insert(line);
      await finds(/1 orders for 2 of its lines/);
      await opened.db.knex('batch_lines').where({ batch_id: id }).whereNotNull('order_id').delete();
      await finds(/1 orders for 0 of its lines/);
    });

    test('a batch that cannot be read', async () => {
      await opened.db.knex('batches').where({ id }).update({ kind: 'zzz' });
      await finds(/^Batch \S+ cannot be read\.$/);
    });

    test('a file with a line too few, one too many, and a part of one', async () => {
      const { outputFileId } = await bench.batch(id);
      const whole = bench.contents.bytes.get(outputFileId) ?? Buffer.alloc(0);
      const halves = Buffer.from(whole);
      halves[10] = 10;
      for (const wrong of [Buffer.alloc(0), whole.subarray(0, -1), halves]) {
        bench.contents.bytes.set(outputFileId, wrong);
        await finds(/has (-1|2) lines instead of 1/);
      }
    });

    test('a file whose size is not that in its batch', async () => {
      await opened.db.knex('batches').where({ id }).update({ error_bytes: 1 });
      await finds(/is not as long as batch/);
    });
  });
}
