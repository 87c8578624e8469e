import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { Fault, type FaultCode } from '#base/fault.ts';
import { silentLog } from '#base/log.ts';
import type { JournalUnit } from '#orders/journal-port.ts';
import type { OrderRow } from '#orders/order.ts';
import { encodeResult } from '#orders/results.ts';
import { testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { marketTariff, orderRow, startMs } from '#testing/order-fixtures.ts';
import type { JsonReply } from './call.ts';
import { type ResultsDependencies, resultsHandlers } from './results.ts';

const DAY_MS = 86_400_000;
const BOOT = 7;
const DONE = { status: 'done', finishedAtMs: startMs, resultExpiresAtMs: startMs + DAY_MS, bootEpoch: BOOT } as const;
const STORED = { ...DONE, resultState: 'stored' } as const;

/** Handlers over one order of acc_1, whose body is in the store when it is `stored`. */
function office(change: Partial<OrderRow>, more: Partial<ResultsDependencies> = {}) {
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
      find: async (accountId, id) =>
        accountId === order.accountId && id === order.id ? { ...order, usage: null } : null,
    },
    results: { get: async (id) => bodies.get(id) ?? null, delete: async (id) => void bodies.delete(id) },
    journal: {
      write: async (unit) => {
        units.push(unit);
        return { result: 'changed' } as never;
      },
    },
    downloads: { take: async (_account, bytes) => void taken.push(bytes) },
    shapes: { chat: shape, completion: shape, responses: shape, messages: shape },
    clock,
    log: silentLog,
    bootEpoch: BOOT,
    isBatchRunning: () => false,
    ...more,
  });
  const get = async (id = order.id) => {
    const { json, headers } = (await handlers.getOrderResult(testCall({ params: { id } }))) as JsonReply;
    return { json: conforming('getOrderResult 200', json) as Record<string, unknown>, headers };
  };
  const remove = async (id = order.id) => {
    const { json } = (await handlers.deleteOrderResult(testCall({ params: { id } }))) as JsonReply;
    return conforming('deleteOrderResult 200', json);
  };
  return { order, clock, bodies, units, taken, get, remove };
}

function bodyOf({ id: orderId, kind, model, createdAtMs, bid }: OrderRow): string {
  const tokens = { uncached: 1, cached: 0, output: 1 };
  const receipt = { orderId, tariff: marketTariff, levelAtExecution: bid, bid, charged: 1n, tokens };
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
  return encodeResult({ orderId, kind, model, createdAtMs, answer }).text;
}

function refusal(code: FaultCode) {
  return (error: unknown) => error instanceof Fault && error.code === code;
}

test('a stored answer is rendered without echoes, and counts as a download of its size', async () => {
  const { order, bodies, taken, get } = office(STORED);
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

test('an answer that is being stored is asked for again in a second, and is no download', async () => {
  const { taken, get } = office({ ...DONE, resultState: 'promised' });
  const { json, headers } = await get();
  assert.deepEqual([json.status, json.body, headers], ['done', null, { 'retry-after': '1' }]);
  assert.equal(json.result_expires_at, new Date(startMs + DAY_MS).toISOString());
  assert.deepEqual(taken, []);
});

test('an answer is kept to the last millisecond of its time', async () => {
  const { clock, get } = office(STORED);
  await clock.advance(DAY_MS - 1);
  await get();
  await clock.advance(1);
  await assert.rejects(get(), refusal('result_unavailable'));
});

test('an answer that was not kept, was deleted, or was lost with an earlier process is gone', async () => {
  for (const change of [{ resultState: 'none' }, { resultState: 'deleted' }] as const) {
    await assert.rejects(office({ ...DONE, ...change }).get(), refusal('result_unavailable'));
  }
  await assert.rejects(office({ ...DONE, resultState: 'promised', bootEpoch: 6 }).get(), refusal('result_unavailable'));
});

test('a body that is missing or in pieces is as good as lost, and is no download', async () => {
  const { order, bodies, taken, get } = office(STORED);
  bodies.set(order.id, '{"version":1,"ord');
  await assert.rejects(get(), refusal('result_unavailable'));
  bodies.delete(order.id);
  await assert.rejects(get(), refusal('result_unavailable'));
  assert.deepEqual(taken, []);
});

test('an order that waits, runs, or ended otherwise says so, whatever was to be kept', async () => {
  for (const resultState of ['none', 'promised'] as const) {
    for (const status of ['queued', 'executing'] as const) {
      const { json, headers } = await office({ status, resultState }).get();
      assert.deepEqual([json.status, json.body, json.error, json.result_expires_at], [status, null, null, null]);
      assert.equal(headers, undefined);
    }
  }
  for (const status of ['error', 'canceled', 'expired'] as const) {
    const { json } = await office({ status, error: 'why', errorMessage: 'Because.' }).get();
    assert.deepEqual([json.status, json.body, json.error], [status, null, { code: 'why', message: 'Because.' }]);
  }
});

test('an allowance that is used up refuses the body and nothing else', async () => {
  const take = async () => {
    throw new Fault('rate_limit_error', { retryAfterS: 3 });
  };
  await assert.rejects(office(STORED, { downloads: { take } }).get(), refusal('rate_limit_error'));
  await office({ ...DONE, status: 'queued' }, { downloads: { take } }).get();
});

test('a stored answer is deleted from the row first, and is gone', async () => {
  const { order, bodies, units, remove } = office(STORED);
  assert.deepEqual(await remove(), { id: order.id, object: 'order.result', deleted: true });
  assert.deepEqual(units, [{ kind: 'result-removed', orderId: order.id, accountId: 'acc_1' }]);
  assert.equal(bodies.size, 0);
});

test('what was lost with an earlier process is noted as deleted', async () => {
  const { units, remove } = office({ ...DONE, resultState: 'promised', bootEpoch: 6 });
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
    const { units, remove } = office(change);
    await remove();
    assert.deepEqual(units, []);
  }
});

test('an answer that may still come cannot be deleted', async () => {
  const coming = [
    { status: 'queued', resultState: 'promised' },
    { status: 'executing', resultState: 'promised' },
    { ...DONE, resultState: 'promised' },
  ] as const;
  for (const change of coming) await assert.rejects(office(change).remove(), refusal('result_write_pending'));
});

test('a line of a running batch keeps its answer; of a finished one it does not', async () => {
  const line = { ...STORED, batchId: 'batch_1' };
  const running = { isBatchRunning: (batchId: string) => batchId === 'batch_1' };
  await assert.rejects(office(line, running).remove(), refusal('batch_in_progress'));
  const waiting = { status: 'queued', resultState: 'promised', batchId: 'batch_1' } as const;
  await assert.rejects(office(waiting, running).remove(), refusal('batch_in_progress'));
  await office({ ...line, batchId: 'batch_2' }, running).remove();
});

test('malformed, unknown and foreign ids are told apart by nobody', async () => {
  const mine = office(STORED);
  const theirs = office({ ...STORED, accountId: 'acc_2' });
  for (const act of [mine.get, mine.remove]) {
    for (const id of ['', 'nonsense', "' OR 1=1 --", '0199aaaa-0000-7000-8000-000000000000']) {
      await assert.rejects(act(id), refusal('not_found'));
    }
  }
  await assert.rejects(theirs.get(), refusal('not_found'));
  await assert.rejects(theirs.remove(), refusal('not_found'));
});
