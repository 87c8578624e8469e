import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '#base/fault.ts';
import { silentLog } from '#base/log.ts';
import { DAY_MS } from '#base/time.ts';
import type { JsonReply } from '#contract/reply.ts';
import type { OrderRow } from '#orders/order.ts';
import { encodeResult } from '#results/result.ts';
import type { JournalUnit } from '#storage/journal/units.ts';
import { testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketTariff, orderRow, startMs } from '#testing/order-fixtures.ts';
import { type ResultsOptions, resultsHandlers } from './results.ts';

const BOOT = 7;
const DONE = { status: 'done', finishedAtMs: startMs, resultExpiresAtMs: startMs + DAY_MS, bootEpoch: BOOT } as const;
const STORED = { ...DONE, resultState: 'stored' } as const;

/** Handlers over one order of acc_1, whose result is in the store when its state is `stored`. */
function fixture(change: Partial<OrderRow>, more: Partial<ResultsOptions> = {}) {
  const order = orderRow({ accountId: 'acc_1', ...change });
  const clock = new ManualClock(startMs);
  const bodies = new Map<string, string>();
  const units: JournalUnit[] = [];
  const taken: number[] = [];
  if (order.resultState === 'stored') bodies.set(order.id, bodyOf(order));
  const render = (facts: { orderId: string }, answer: { generation: { text: string } }, echo: unknown) => ({
    id: facts.orderId,
    text: answer.generation.text,
    echo,
  });
  const shape = { renderAnswer: render };
  const handlers = resultsHandlers({
    store: {
      find: async ({ accountId }, id) =>
        accountId === order.accountId && id === order.id ? { ...order, usage: null } : null,
    },
    results: { get: async (id) => storedAs(bodies.get(id)), delete: async (id) => void bodies.delete(id) },
    journal: {
      write: async (unit) => {
        units.push(unit);
        return { result: 'changed' } as never;
      },
    },
    downloads: {
      begin: async ({ headersOnly }, _account, bytes) => {
        if (!headersOnly) taken.push(bytes);
      },
    },
    shapes: { chat: shape, completion: shape, responses: shape, messages: shape },
    clock,
    log: silentLog,
    isServing: (bootEpoch) => bootEpoch === BOOT,
    isBatchRunning: () => false,
    ...more,
  });
  const get = async (id = order.id, headersOnly = false) => {
    const call = testCall('getOrderResult', { params: { id }, headersOnly });
    const { json, headers } = (await handlers.getOrderResult(call)) as JsonReply;
    return { json: conforming('getOrderResult 200', json) as Record<string, unknown>, headers };
  };
  const remove = async (id = order.id) => {
    const { json } = (await handlers.deleteOrderResult(testCall('deleteOrderResult', { params: { id } }))) as JsonReply;
    return conforming('deleteOrderResult 200', json);
  };
  return { order, clock, bodies, units, taken, get, remove };
}

function storedAs(text: string | undefined) {
  return text === undefined ? null : { text, charged: 1n };
}

function bodyOf({ id: orderId, kind, model, createdAtMs, bid }: OrderRow): string {
  const tokens = { uncached: 1, cached: 0, output: 1 };
  const receipt = { orderId, tariff: marketTariff, price: bid, bid, charged: 1n, tokens };
  const generation = {
    text: 'Hello.',
    reasoning: '',
    toolCalls: [],
    logprobs: null,
    finishReason: 'stop',
    stopSequence: null,
    parts: [{ type: 'text', length: 6 }],
  } as const;
  const answer = { generation, receipt, reasoningTokens: null, finishedAtMs: startMs };
  return encodeResult({ orderId, kind, model, createdAtMs, answer }, 1).text;
}

function refusal(code: FaultCode) {
  return (error: unknown) => error instanceof Fault && error.code === code;
}

// Spec 4.4-25
test('a stored answer is rendered without echoes, and counts as a download of its size', async () => {
  const { order, bodies, taken, get } = fixture(STORED);
  const { json, headers } = await get();
  assert.deepEqual(json, {
    id: order.id,
    object: 'order.result',
    kind: 'chat',
    status: 'done',
    created_at: new Date(startMs).toISOString(),
    expires_at: new Date(order.expiresAtMs).toISOString(),
    result_expires_at: new Date(startMs + DAY_MS).toISOString(),
    body: { id: order.id, text: 'Hello.', echo: null },
    error: null,
  });
  assert.deepEqual([headers, taken], [undefined, [bodies.get(order.id)?.length]]);
});

test('a request for the headers alone has the same reply and is no download', async () => {
  const { order, taken, get } = fixture(STORED);
  assert.deepEqual((await get(order.id, true)).json.body, { id: order.id, text: 'Hello.', echo: null });
  assert.deepEqual(taken, []);
});

test('an answer that is being stored is null with Retry-After of a second, and is no download', async () => {
  const { taken, get } = fixture({ ...DONE, resultState: 'promised' });
  const { json, headers } = await get();
  assert.deepEqual([json.status, json.body, headers], ['done', null, { 'retry-after': '1' }]);
  assert.equal(json.result_expires_at, new Date(startMs + DAY_MS).toISOString());
  assert.deepEqual(taken, []);
});

test('an answer is stored until the last millisecond of its retention', async () => {
  const { clock, get } = fixture(STORED);
  await clock.advance(DAY_MS - 1);
  await get();
  await clock.advance(1);
  await assert.rejects(get(), refusal('result_unavailable'));
});

test('an answer that was not stored, was deleted, or was lost with an earlier process is 410', async () => {
  for (const change of [{ resultState: 'none' }, { resultState: 'deleted' }] as const) {
    await assert.rejects(fixture({ ...DONE, ...change }).get(), refusal('result_unavailable'));
  }
  await assert.rejects(
    fixture({ ...DONE, resultState: 'promised', bootEpoch: 6 }).get(),
    refusal('result_unavailable'),
  );
});

test('a missing or damaged result counts as lost, and is no download', async () => {
  const { order, bodies, taken, get } = fixture(STORED);
  bodies.set(order.id, '{"version":1,"ord');
  await assert.rejects(get(), refusal('result_unavailable'));
  bodies.delete(order.id);
  await assert.rejects(get(), refusal('result_unavailable'));
  assert.deepEqual(taken, []);
});

test('an order that is queued, executing or ended otherwise says so, whatever was to be stored', async () => {
  for (const resultState of ['none', 'promised'] as const) {
    for (const status of ['queued', 'executing'] as const) {
      const { json, headers } = await fixture({ status, resultState }).get();
      assert.deepEqual([json.status, json.body, json.error, json.result_expires_at], [status, null, null, null]);
      assert.equal(headers, undefined);
    }
  }
  for (const status of ['error', 'canceled', 'expired'] as const) {
    const { json } = await fixture({ status, error: 'why', errorMessage: 'Because.' }).get();
    assert.deepEqual([json.status, json.body, json.error], [status, null, { code: 'why', message: 'Because.' }]);
  }
});

test('a used-up download allowance refuses the result and nothing else', async () => {
  const begin = async () => {
    throw new Fault('rate_limit_error', { retryAfterS: 3 });
  };
  await assert.rejects(fixture(STORED, { downloads: { begin } }).get(), refusal('rate_limit_error'));
  await fixture({ ...DONE, status: 'queued' }, { downloads: { begin } }).get();
});

test('a stored answer is deleted from the row first, and is 410 then', async () => {
  const { order, bodies, units, remove } = fixture(STORED);
  assert.deepEqual(await remove(), { id: order.id, object: 'order.result', deleted: true });
  assert.deepEqual(units, [{ kind: 'result-removed', orderId: order.id, accountId: 'acc_1' }]);
  assert.equal(bodies.size, 0);
});

test('a result that was lost with an earlier process is recorded as deleted', async () => {
  const { units, remove } = fixture({ ...DONE, resultState: 'promised', bootEpoch: 6 });
  await remove();
  assert.equal(units.length, 1);
});

test('nothing is written for an order that has no answer', async () => {
  const without = [
    { ...DONE, resultState: 'none' },
    { status: 'canceled', resultState: 'none' },
    { status: 'queued', resultState: 'none' },
  ] as const;
  for (const change of without) {
    const { units, remove } = fixture(change);
    await remove();
    assert.deepEqual(units, []);
  }
});

test('an answer that may still be stored cannot be deleted', async () => {
  const coming = [
    { status: 'queued', resultState: 'promised' },
    { status: 'executing', resultState: 'promised' },
    { ...DONE, resultState: 'promised' },
  ] as const;
  for (const change of coming) await assert.rejects(fixture(change).remove(), refusal('result_write_pending'));
});

test('the answer of a batch line cannot be deleted while the batch runs, afterwards it can', async () => {
  const line = { ...STORED, batchId: 'batch_1' };
  const running = { isBatchRunning: (batchId: string) => batchId === 'batch_1' };
  await assert.rejects(fixture(line, running).remove(), refusal('batch_in_progress'));
  const waiting = { status: 'queued', resultState: 'promised', batchId: 'batch_1' } as const;
  await assert.rejects(fixture(waiting, running).remove(), refusal('batch_in_progress'));
  await fixture({ ...line, batchId: 'batch_2' }, running).remove();
  const elsewhere = { isBatchRunning: async (batchId: string) => batchId === 'batch_1' };
  await assert.rejects(fixture(line, elsewhere).remove(), refusal('batch_in_progress'));
  await fixture({ ...line, batchId: 'batch_2' }, elsewhere).remove();
});

test('malformed, unknown and foreign ids get the same response', async () => {
  const mine = fixture(STORED);
  const theirs = fixture({ ...STORED, accountId: 'acc_2' });
  for (const act of [mine.get, mine.remove]) {
    for (const id of ['', 'nonsense', "' OR 1=1 --", '0199aaaa-0000-7000-8000-000000000000']) {
      await assert.rejects(act(id), refusal('not_found'));
    }
  }
  await assert.rejects(theirs.get(), refusal('not_found'));
  await assert.rejects(theirs.remove(), refusal('not_found'));
});
