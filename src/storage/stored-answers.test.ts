/** Where the bodies of results are, on every database. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { tariffFromId } from '#ledger/tariff.ts';
import type { SettleUnit } from '#orders/journal-port.ts';
import type { OrderRow } from '#orders/order.ts';
import { decodeResult, encodeResult, type ResultBody } from '#orders/results.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { MemoryBlobs } from '#testing/memory-blobs.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import type { Journal } from './journal/index.ts';
import { createResultIndex } from './results.ts';
import { createResultStore } from './stored-answers.ts';

const clock = new ManualClock(startMs);
const ODD_TEXT = 'O’Grady said "½ 🜁"\u0000 \ud800 and left.\n';

/** An answer of `order` that costs `charged`. */
function bodyOf(order: OrderRow, charged: bigint): ResultBody {
  const { id: orderId, kind, model, createdAtMs, bid, tariffId } = order;
  const tokens = { uncached: 10, cached: 90, output: 5 };
  const receipt = { orderId, tariff: tariffFromId(tariffId), levelAtExecution: bid, bid, charged, tokens };
  const generation = {
    text: ODD_TEXT,
    reasoning: '',
    toolCalls: [],
    logprobs: null,
    finishReason: 'stop',
    stopSequence: null,
    parts: [{ type: 'text', length: ODD_TEXT.length }],
  } as const;
  const answer = { generation, receipt, reasoningTokens: null, finishedAtMs: startMs };
  return encodeResult({ orderId, kind, model, createdAtMs, answer });
}

for (const tested of testedDatabases) {
  describe(`stored answers on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;
    let accountId: string;
    let files: MemoryBlobs;

    beforeEach(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
      accountId = await fundedAccount(opened.db, clock, 100n);
      files = new MemoryBlobs();
    });
    afterEach(() => opened.drop());

    const store = () => createResultStore(opened.db, files);
    const keptBytes = async () => (await createResultIndex(opened.db).oldest(accountId, 10)).map(({ bytes }) => bytes);
    async function running(hold = 60n): Promise<OrderRow> {
      const order = orderRow({ accountId, resultState: 'promised' });
      await journal.write(acceptUnit(order, { admission: admissionOf(hold) }));
      return order;
    }
    const settledWith = ({ text, bytes }: ResultBody): Partial<SettleUnit> => ({
      resultBody: text,
      resultBytes: bytes,
      resultExpiresAtMs: startMs + 1000,
    });

    test('a body that came with its settlement is read as it was written, and counted once', async () => {
      const order = await running();
      const body = bodyOf(order, 42n);
      const unit = settleUnit(order, 42n, settledWith(body));
      assert.deepEqual(await journal.write(unit), await journal.write(unit));
      assert.equal(await store().get(order.id), body.text);
      assert.equal(decodeResult(body.text).answer.generation.text, ODD_TEXT);
      assert.deepEqual(await keptBytes(), [Buffer.byteLength(body.text)]);
    });

    test('the late settlement of an abandoned attempt keeps nothing', async () => {
      const order = await running();
      const late = settleUnit(order, 42n, { ...settledWith(bodyOf(order, 42n)), attempt: 2 });
      assert.equal((await journal.write(late)).result, 'stale');
      assert.deepEqual([await store().get(order.id), await keptBytes()], [null, []]);
    });

    test('a body says what was charged when part of it was written off', async () => {
      const order = await running();
      const body = bodyOf(order, 1_000_000n);
      await journal.write(settleUnit(order, 1_000_000n, settledWith(body)));
      const text = (await store().get(order.id)) ?? '';
      assert.equal(decodeResult(text).answer.receipt.charged, 100n);
      assert.equal(decodeResult(text).answer.generation.text, ODD_TEXT);
      assert.deepEqual(await keptBytes(), [Buffer.byteLength(text)]);
    });

    test('a body goes with the unit that says so, whether it is a row or a file', async () => {
      const [row, file] = [await running(10n), await running(10n)];
      await journal.write(settleUnit(row, 1n, settledWith(bodyOf(row, 1n))));
      await store().put(file.id, bodyOf(file, 1n).text);
      await journal.write(settleUnit(file, 1n, { resultBytes: 9, resultExpiresAtMs: startMs + 1000 }));
      for (const { id: orderId } of [row, file]) {
        assert.notEqual(await store().get(orderId), null);
        await journal.write({ kind: 'result-removed', orderId, accountId });
        await store().delete(orderId);
        assert.equal(await store().get(orderId), null);
      }
      assert.deepEqual([await keptBytes(), files.bodies.size], [[], 0]);
    });

    test('a file that an earlier attempt left is not the answer, and goes with it', async () => {
      const order = await running();
      await store().put(order.id, bodyOf(order, 7n).text);
      const body = bodyOf(order, 42n);
      await journal.write(settleUnit(order, 42n, settledWith(body)));
      assert.equal(await store().get(order.id), body.text);
      await journal.write({ kind: 'result-removed', orderId: order.id, accountId });
      await store().delete(order.id);
      assert.equal(await store().get(order.id), null);
    });
  });
}
