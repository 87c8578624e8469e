/** Where results are stored, on every database. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { tariffFromId } from '#ledger/tariff.ts';
import type { OrderRow } from '#orders/order.ts';
import type { SettleUnit } from '#orders/units.ts';
import { decodeResult, type EncodedResult, encodeResult } from '#results/result.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { MemoryBlobs } from '#testing/memory-blobs.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import type { Journal } from '../journal/journal.ts';
import { createResultIndex, createResultStore } from './store.ts';

const clock = new ManualClock(startMs);
const ODD_TEXT = 'O’Grady said "½ 🜁"\u0000 \ud800 and left.\n';

/** The result of `order`, charged at `charged`. */
function resultOf(order: OrderRow, charged: bigint, attempt = 1): EncodedResult {
  const { id: orderId, kind, model, createdAtMs, bid, tariffId } = order;
  const tokens = { uncached: 10, cached: 90, output: 5 };
  const receipt = { orderId, tariff: tariffFromId(tariffId), price: bid, bid, charged, tokens };
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
  return encodeResult({ orderId, kind, model, createdAtMs, answer }, attempt);
}

for (const tested of testedDatabases) {
  describe(`results on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;
    let accountId: string;
    let blobs: MemoryBlobs;

    beforeEach(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
      accountId = await fundedAccount(opened.db, clock, 100n);
      blobs = new MemoryBlobs();
    });
    afterEach(() => opened.drop());

    const store = () => createResultStore(opened.db, blobs);
    const read = async (orderId: string) => {
      const result = await store().get(orderId);
      assert.ok(result);
      return decodeResult(result);
    };
    const keptBytes = async () => (await createResultIndex(opened.db).oldest(accountId, 10)).map(({ bytes }) => bytes);
    async function running(hold = 60n): Promise<OrderRow> {
      const order = orderRow({ accountId, resultState: 'promised' });
      await journal.write(acceptUnit(order, { admission: admissionOf(hold) }));
      return order;
    }
    const settledWith = ({ text, bytes }: EncodedResult): Partial<SettleUnit> => ({
      resultText: text,
      resultBytes: bytes,
      resultExpiresAtMs: startMs + 1000,
    });

    test('a result stored by its settlement is read as it was written, and counted once', async () => {
      const order = await running();
      const result = resultOf(order, 42n);
      const unit = settleUnit(order, 42n, settledWith(result));
      assert.deepEqual(await journal.write(unit), await journal.write(unit));
      assert.deepEqual(await store().get(order.id), { text: result.text, charged: 42n });
      assert.equal(decodeResult({ text: result.text, charged: 42n }).answer.generation.text, ODD_TEXT);
      assert.deepEqual(await keptBytes(), [Buffer.byteLength(result.text)]);
    });

    test('the late settlement of an abandoned attempt stores nothing', async () => {
      const order = await running();
      const late = settleUnit(order, 42n, { ...settledWith(resultOf(order, 42n)), attempt: 2 });
      assert.equal((await journal.write(late)).result, 'stale');
      assert.deepEqual([await store().get(order.id), await keptBytes()], [null, []]);
    });

    test('a result has the charge that remains when part of it was written off', async () => {
      const order = await running();
      const result = resultOf(order, 1_000_000n);
      await journal.write(settleUnit(order, 1_000_000n, settledWith(result)));
      const { answer } = await read(order.id);
      assert.equal(answer.receipt.charged, 100n);
      assert.equal(answer.generation.text, ODD_TEXT);
      assert.deepEqual(await keptBytes(), [result.bytes]);
    });

    test('a result that was stored before its order was settled has the charge that remains, too', async () => {
      const order = await running();
      const result = resultOf(order, 1_000_000n);
      await store().put(result);
      const settled = { resultBytes: result.bytes, resultExpiresAtMs: startMs + 1000 };
      await journal.write(settleUnit(order, 1_000_000n, settled));
      assert.equal((await read(order.id)).answer.receipt.charged, 100n);
      assert.deepEqual(await keptBytes(), [result.bytes]);
    });

    test('a result of an earlier version, which had a charge, is read with that of its usage record', async () => {
      const order = await running();
      const form: Record<string, unknown> = JSON.parse(resultOf(order, 42n).text);
      const text = JSON.stringify({ ...form, version: 1, chargedNano: '1000000' });
      await journal.write(settleUnit(order, 42n, settledWith({ ...resultOf(order, 42n), text })));
      const { answer } = await read(order.id);
      assert.deepEqual([answer.receipt.charged, answer.generation.text], [42n, ODD_TEXT]);
    });

    test('a refund changes no receipt', async () => {
      const order = await running();
      await journal.write(settleUnit(order, 42n, settledWith(resultOf(order, 42n))));
      await opened.db.knex('usage_records').where({ order_id: order.id }).update({ refunded: 40 });
      assert.equal((await read(order.id)).answer.receipt.charged, 42n);
    });

    test('results that are rows are read together, and those that are blobs are left out', async () => {
      const [row, blob] = [await running(10n), await running(10n)];
      await journal.write(settleUnit(row, 1n, settledWith(resultOf(row, 1n))));
      await store().put(resultOf(blob, 1n));
      await journal.write(settleUnit(blob, 1n, { resultBytes: 9, resultExpiresAtMs: startMs + 1000 }));
      const cheap = await store().getCheap([row.id, blob.id]);
      assert.deepEqual([...cheap], [[row.id, { text: resultOf(row, 1n).text, charged: 1n }]]);
    });

    test('a result is deleted with its unit, whether it is a row or a blob', async () => {
      const [row, blob] = [await running(10n), await running(10n)];
      await journal.write(settleUnit(row, 1n, settledWith(resultOf(row, 1n))));
      await store().put(resultOf(blob, 1n));
      await journal.write(settleUnit(blob, 1n, { resultBytes: 9, resultExpiresAtMs: startMs + 1000 }));
      for (const { id: orderId } of [row, blob]) {
        assert.notEqual(await store().get(orderId), null);
        await journal.write({ kind: 'result-removed', orderId, accountId });
        await store().delete(orderId);
        assert.equal(await store().get(orderId), null);
      }
      assert.deepEqual([await keptBytes(), blobs.blobs.size], [[], 0]);
    });

    /** An order that ran a second time, with that result; the first attempt may still be writing its own. */
    async function ranAgain(): Promise<OrderRow> {
      const order = await running(10n);
      const { id: orderId, expiresAtMs } = order;
      await journal.write({ kind: 'requeue', orderId, accountId, attempt: 1, expiresAtMs, failures: 0 });
      await journal.write({ kind: 'admit', orderId, accountId, admission: admissionOf(10n, { attempt: 2 }) });
      await journal.write(settleUnit(order, 1n, { attempt: 2, resultBytes: 9, resultExpiresAtMs: startMs + 1000 }));
      return order;
    }

    test('what an earlier attempt still writes is not the result, and is deleted with it', async () => {
      const order = await ranAgain();
      const result = resultOf(order, 1n, 2);
      await store().put(result);
      await store().put(resultOf(order, 7n, 1));
      assert.equal((await store().get(order.id))?.text, result.text);
      await journal.write({ kind: 'result-removed', orderId: order.id, accountId });
      await store().delete(order.id);
      assert.deepEqual([await store().get(order.id), blobs.blobs.size], [null, 0]);
    });

    test('the result of a later attempt is read under the name that earlier versions gave it', async () => {
      const order = await ranAgain();
      blobs.blobs.set(order.id, Buffer.from('written before'));
      assert.equal((await store().get(order.id))?.text, 'written before');
    });

    test('a blob that an earlier attempt left is not the result, and is deleted with it', async () => {
      const order = await running();
      await store().put(resultOf(order, 7n));
      const result = resultOf(order, 42n);
      await journal.write(settleUnit(order, 42n, settledWith(result)));
      assert.equal((await store().get(order.id))?.text, result.text);
      await journal.write({ kind: 'result-removed', orderId: order.id, accountId });
      await store().delete(order.id);
      assert.equal(await store().get(order.id), null);
    });
  });
}
