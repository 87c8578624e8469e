/** What batches do while the disk is nearly full. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BatchBench, chatLine, useBatchBench } from '#testing/batch-bench.ts';
import { testedDatabases } from '#testing/databases.ts';

for (const tested of testedDatabases) {
  describe(`batches on a nearly full disk on ${tested.name}`, { skip: tested.skip }, () => {
    let bench: BatchBench;
    useBatchBench(tested, (opened) => {
      bench = opened;
    });

    test('new ones are refused; lines wait, and run when there is room again', async () => {
      bench.queuedLinesMax = 1;
      await bench.restart();
      const id = await bench.run([chatLine('a'), chatLine('b')]);
      bench.disk.low = true;
      await bench.answerAll();
      await bench.clock.advance(5000);
      assert.equal(bench.resting.length, 0);
      await assert.rejects(bench.run([chatLine('a')]), { code: 'unavailable', retryAfterS: 30 });
      bench.disk.low = false;
      await bench.clock.advance(1000);
      await bench.rest();
      await bench.answerAll();
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.completed], ['completed', 2]);
    });

    test('the lines of an account that is over its share wait, what has run is kept, and the rest runs later', async () => {
      bench.queuedLinesMax = 1;
      await bench.restart();
      const id = await bench.run([chatLine('a'), chatLine('b'), chatLine('c')]);
      bench.disk.isOver = (accountId) => accountId === bench.accountId;
      await bench.answerAll();
      await bench.clock.advance(5000);
      assert.equal(bench.resting.length, 0);
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.completed, counts.failed, counts.placed], ['validating', 1, 0, 1]);
      await assert.rejects(bench.run([chatLine('a')]), { code: 'rate_limit_error', retryAfterS: 30 });
      bench.disk.isOver = () => false;
      for (let line = 0; line < 2; line++) {
        await bench.clock.advance(1000);
        await bench.rest();
        await bench.answerAll();
      }
      assert.deepEqual((await bench.batch(id)).counts.completed, 3);
    });
  });
}
