/** Batches with a deadline over a real database, with pods and an exchange played by the test. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BatchBench, chatLine, useBatchBench } from '#testing/batch-bench.ts';
import { testedDatabases } from '#testing/databases.ts';

const HOUR_S = 3600;
const HOUR_MS = HOUR_S * 1000;

for (const tested of testedDatabases) {
  describe(`batches with a deadline on ${tested.name}`, { skip: tested.skip }, () => {
    let bench: BatchBench;
    useBatchBench(tested, (opened) => {
      bench = opened;
    });
    const linesOf = (count: number) => Array.from({ length: count }, (_, at) => chatLine(`line ${at}`));
    /** From the creation of the batch to the deadline of each of its orders, oldest first. */
    async function deadlines(id: string): Promise<(number | null)[]> {
      const { createdAtMs } = await bench.batch(id);
      return (await bench.orders(id)).map(({ deadlineMs }) => (deadlineMs == null ? null : deadlineMs - createdAtMs));
    }

    test('its lines are orders with its deadline, at their limit or its own, and it expires then', async () => {
      const lines = [chatLine('a'), chatLine('b', { price_limit: 2 })];
      const id = await bench.run(lines, { deadline: { inS: 8 * HOUR_S } });
      const { createdAtMs, expiresAtMs, deadlineMs } = await bench.batch(id);
      assert.deepEqual([deadlineMs, expiresAtMs], [createdAtMs + 8 * HOUR_MS, createdAtMs + 8 * HOUR_MS]);
      assert.deepEqual(
        (await bench.orders(id)).map(({ limit, expiresAtMs: orderMs }) => [limit, orderMs]),
        [
          [5e9, expiresAtMs],
          [2e9, expiresAtMs],
        ],
      );
      assert.deepEqual(await deadlines(id), [8 * HOUR_MS, 8 * HOUR_MS]);
    });

    test('a batch without one has none, and neither have its lines', async () => {
      const id = await bench.run([chatLine('a')]);
      assert.equal((await bench.batch(id)).deadlineMs, null);
      assert.deepEqual(await deadlines(id), [null]);
    });

    test('lines take turns: those that find a place have their part of the time, the last ones all of it', async () => {
      bench.queuedLinesMax = 5;
      await bench.restart();
      const id = await bench.run(linesOf(8), { deadline: { inS: 8 * HOUR_S } });
      assert.deepEqual(await deadlines(id), Array(4).fill(4 * HOUR_MS));
      await bench.answerAll();
      // One by one, as the others start: four of seven lines, of six, of five, and of four.
      const hours = (await deadlines(id)).slice(4).map((ms) => Number(((ms ?? 0) / HOUR_MS).toFixed(1)));
      assert.deepEqual(hours, [4.6, 5.3, 6.4, 8]);
    });

    test('a batch that waits on purpose leaves places to one that is to start at once', async () => {
      bench.queuedLinesMax = 5;
      await bench.restart();
      const patient = await bench.run(linesOf(8), { deadline: { inS: 8 * HOUR_S } });
      const urgent = await bench.run([chatLine('now')]);
      assert.equal((await bench.orders(patient)).length, 4);
      const [order] = await bench.orders(urgent);
      assert.equal(order?.deadlineMs, null);
      await bench.answer(order?.id ?? '');
      await bench.rest();
      assert.equal((await bench.batch(urgent)).status, 'completed');
    });

    test('after a kill its orders keep their deadlines, and the lines that are left get theirs', async () => {
      bench.queuedLinesMax = 5;
      await bench.restart();
      const id = await bench.run(linesOf(8), { deadline: { inS: 8 * HOUR_S } });
      const before = await bench.batch(id);
      await bench.clock.advance(2 * HOUR_MS);
      await bench.restart();
      const after = await bench.batch(id);
      assert.deepEqual([after.deadlineMs, after.expiresAtMs], [before.deadlineMs, before.expiresAtMs]);
      assert.deepEqual(await deadlines(id), Array(4).fill(4 * HOUR_MS));
      await bench.answer(bench.resting[0] ?? '');
      await bench.rest();
      const [fifth] = (await deadlines(id)).slice(4);
      // Four of the seven lines that are left have a place, so it has 4/7 of the six hours that are left.
      assert.equal((((fifth ?? 0) - 2 * HOUR_MS) / HOUR_MS).toFixed(1), '3.4');
      for (let turn = 0; turn < 3; turn++) await bench.answerAll();
      assert.deepEqual((await bench.batch(id)).counts.completed, 8);
    });

    test('at the deadline all lines expire that have not started, whether they were orders or not', async () => {
      bench.queuedLinesMax = 5;
      await bench.restart();
      const id = await bench.run(linesOf(6), { deadline: { inS: 60 }, maxWaitS: HOUR_S });
      await bench.admit(bench.resting[0] ?? '');
      await bench.clock.advance(60_000);
      await bench.rest();
      assert.deepEqual(Object.values(await bench.errorCodes(id)), Array(5).fill('expired'));
      bench.pods.last.say('Hi.').finish();
      await bench.rest();
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.completed, counts.expired], ['expired', 1, 5]);
    });

    test('a line that missed its turn goes on waiting until the deadline of its batch', async () => {
      bench.queuedLinesMax = 5;
      await bench.restart();
      const id = await bench.run(linesOf(8), { deadline: { inS: 8 * HOUR_S } });
      await bench.clock.advance(5 * HOUR_MS);
      await bench.rest();
      assert.deepEqual(
        (await bench.orders(id)).map(({ status }) => status),
        Array(4).fill('queued'),
      );
      for (let turn = 0; turn < 2; turn++) await bench.answerAll();
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.completed], ['completed', 8]);
    });

    test('a line looks for room for others when it starts and when it ends, and not at each token', async (t) => {
      bench.queuedLinesMax = 5;
      await bench.restart();
      await bench.run(linesOf(8), { deadline: { inS: 8 * HOUR_S } });
      const [orderId = ''] = bench.resting;
      await bench.admit(orderId);
      const { mock } = t.mock.method(bench.orderService, 'roomForLines');
      bench.pods.last.say('one');
      await bench.settle();
      assert.ok(mock.callCount() > 0);
      mock.resetCalls();
      for (let token = 0; token < 50; token++) bench.pods.last.say('more');
      await bench.settle();
      assert.equal(mock.callCount(), 0);
      bench.pods.last.finish();
      await bench.rest();
      assert.ok(mock.callCount() > 0);
    });

    test('lines take the places that other accounts leave, while those of their own batch still wait', async (t) => {
      const { mock } = t.mock.method(bench.orderService, 'roomForLines', () => 1 - bench.resting.length);
      const id = await bench.run(linesOf(4), { deadline: { inS: 8 * HOUR_S } });
      assert.equal((await bench.orders(id)).length, 1);
      mock.restore();
      await bench.clock.advance(1000);
      await bench.rest();
      assert.equal((await bench.orders(id)).length, 4);
    });

    test('a batch that found few places gets more as those before it start', async () => {
      bench.queuedLinesMax = 20;
      await bench.restart();
      const ids: string[] = [];
      for (let count = 0; count < 3; count++) ids.push(await bench.run(linesOf(40), { deadline: { inS: 8 * HOUR_S } }));
      const queued = async () => {
        const counts: number[] = [];
        for (const id of ids) counts.push((await bench.orders(id)).filter(({ status }) => status === 'queued').length);
        return counts;
      };
      assert.deepEqual(await queued(), [16, 3, 1]);
      // The oldest start first, as those of the first batch.
      for (let started = 0; started < 14; started++) await bench.answer(bench.resting[0] ?? '');
      await bench.rest();
      const after = await queued();
      assert.ok(Math.min(...after) >= 4 && Math.max(...after) <= 8, `${after} of 20 places`);
    });

    test('a deadline that passes while no gateway runs: all lines expire at its start, uncharged', async () => {
      bench.queuedLinesMax = 5;
      await bench.restart();
      const id = await bench.run(linesOf(8), { deadline: { inS: HOUR_S } });
      await bench.close();
      await bench.clock.advance(2 * HOUR_MS);
      await bench.restart();
      await bench.rest();
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.expired, counts.completed], ['expired', 8, 0]);
    });

    test('a clock that steps back moves no deadline, and gives no line a later one than its batch has', async () => {
      bench.queuedLinesMax = 5;
      await bench.restart();
      const id = await bench.run(linesOf(8), { deadline: { inS: 480 } });
      const { deadlineMs } = await bench.batch(id);
      const first = new Set(bench.resting);
      await bench.clock.advance(120_000);
      await bench.clock.advance(-60_000);
      await bench.answerAll();
      const orders = await bench.orders(id);
      assert.equal(orders.length, 8);
      for (const order of orders) {
        const beforeMs = (deadlineMs ?? Number.NaN) - (order.deadlineMs ?? Number.NaN);
        if (first.has(order.id)) assert.equal(beforeMs, 240_000);
        else assert.ok(beforeMs >= 0 && beforeMs <= 181_000, `${beforeMs} ms before that of the batch`);
      }
      await bench.answerAll();
      assert.equal((await bench.batch(id)).status, 'completed');
    });

    test('canceling reaches lines inside and outside of the book', async () => {
      bench.queuedLinesMax = 5;
      await bench.restart();
      const id = await bench.run(linesOf(8), { deadline: { inS: 8 * HOUR_S } });
      await bench.batches.cancel(bench.accountId, id);
      await bench.rest();
      const { status, counts } = await bench.batch(id);
      assert.deepEqual([status, counts.canceled], ['cancelled', 8]);
    });

    test('a deadline after the window of the batch is refused, and nothing is written', async () => {
      const inputFileId = await bench.upload(chatLine('a'));
      for (const wrong of [{ deadline: { inS: 86_401 } }, { deadline: { inS: 61 }, maxWaitS: 60 }])
        await assert.rejects(bench.create({ inputFileId, ...wrong }), { code: 'invalid_request', param: 'deadline' });
      assert.deepEqual(await bench.db.knex('batches').pluck('id'), []);
    });
  });
}
