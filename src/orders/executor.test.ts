/** How runs end: pods that fail, refuse or have no room, callers that leave, and writes that do not commit in time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import { decodeResult } from '#results/result.ts';
import {
  benchListing,
  faultOf,
  LARGE_TEXT,
  OrderServiceBench,
  testLine,
  testRequest,
} from '#testing/order-service-bench.ts';
import type { JsonObject } from './request.ts';

const failed = { kind: 'failed', reason: 'planted' } as const;
const keyed = (change: Parameters<typeof testRequest>[0] = {}) =>
  testRequest(change, { idempotency: { key: 'k', fingerprint: 'f' } });

/** Fails the running attempt `times` times, and has the order chosen again after each. */
async function failTimes(bench: OrderServiceBench, orderId: string, times: number): Promise<void> {
  for (let failure = 1; failure <= times; failure++) {
    bench.pods.last.end(failed);
    await bench.settle();
    await bench.admit(orderId, { attempt: failure + 1 });
  }
}

test('an order is not sent to its pod before its admission has committed', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting();
  bench.journal.pause();
  await bench.admit(orderId);
  assert.equal(bench.pods.attempts.length, 0);
  bench.journal.resume();
  await bench.settle();
  assert.equal(bench.pods.attempts.length, 1);
});

test('the fourth pod failure is a 502 that names the order, and releases its hold', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  await failTimes(bench, orderId, 3);
  bench.pods.last.end(failed);
  const fault = faultOf(await outcome);
  assert.deepEqual([fault.status, fault.code, fault.orderId], [502, 'backend_error', orderId]);
  assert.deepEqual([bench.row(orderId).error, bench.funds.held], ['backend_error', 0n]);
});

test('a pod without room between failures does not count as a failure', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  await failTimes(bench, orderId, 3);
  bench.pods.last.end({ kind: 'no-slot' });
  await bench.settle();
  assert.deepEqual([bench.row(orderId).status, bench.row(orderId).failures], ['queued', 3]);
  await bench.admit(orderId, { attempt: 5 });
  bench.pods.last.finish();
  assert.equal((await outcome).status, 'done');
});

// Spec 2.1-10, 3-14
test('a requeued order has no hold, no price and no admission', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running();
  bench.pods.last.end(failed);
  await bench.settle();
  const { status, hold, price, admittedAtMs } = bench.row(orderId);
  assert.deepEqual([status, hold, price, admittedAtMs, bench.funds.held], ['queued', 0n, null, null, 0n]);
});

test('a requeued order pays the level when that has fallen since', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running();
  bench.pods.last.end(failed);
  await bench.settle();
  await bench.admit(orderId, { attempt: 2, level: 6e8 });
  assert.equal(bench.row(orderId).price, 6e8);
});

test('a requeued order that was repriced upwards still pays no more than its first price', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running();
  bench.pods.last.end(failed);
  const repriced = bench.orderService.reprice(wholeAccount('acct'), [orderId], 9e9);
  await bench.settle();
  await bench.emit({ type: 'repriced', model: 'tide', seq: 50, order: orderId, bid: 9e9, restedSeq: 50 });
  await repriced;
  await bench.admit(orderId, { attempt: 2, level: 8e9 });
  assert.deepEqual([bench.row(orderId).bid, bench.row(orderId).price], [9e9, 1e9]);
});

test('a requeued lock has what was left of its window when it started', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting(testRequest({ priceLock: true }));
  await bench.clock.advance(4000);
  await bench.admit(orderId);
  await bench.clock.advance(60_000);
  bench.pods.last.end(failed);
  await bench.clock.advance(5999);
  assert.equal(bench.row(orderId).status, 'queued');
  await bench.clock.advance(1);
  assert.equal(faultOf(await outcome).code, 'capacity_unavailable');
});

test('a pod without room after output ends the order, since the caller has seen a part', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  bench.pods.last.say('half').end({ kind: 'no-slot' });
  assert.equal(faultOf(await outcome).code, 'backend_error');
  assert.equal(bench.row(orderId).status, 'error');
});

test('an order whose caller has left is not tried again', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  ticket.leave();
  bench.pods.last.end(failed);
  await bench.settle();
  assert.equal(bench.row(ticket.orderId).status, 'error');
  bench.audit();
});

test('a caller that left pays the usage that the pod sent before it was aborted', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  bench.pods.last.say('one', ' two');
  ticket.leave();
  const usage = { promptTokens: 30, cachedTokens: 20, outputTokens: 2, reasoningTokens: null };
  bench.pods.last.end({ kind: 'aborted', usage });
  await bench.settle();
  const unit = bench.journal.settled.get(ticket.orderId);
  assert.deepEqual([unit?.tokens, unit?.estimated], [{ uncached: 10, cached: 20, output: 2 }, false]);
});

test('a caller that leaves while its order is settled changes nothing', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  bench.journal.pause();
  bench.pods.last.say('Hi').finish();
  ticket.leave();
  bench.journal.resume();
  await bench.settle();
  assert.equal(bench.pods.last.aborted, false);
  assert.deepEqual(bench.journal.settled.get(ticket.orderId)?.tokens, { uncached: 10, cached: 0, output: 5 });
});

test('a caller that leaves after the end is a success, and nothing is written again', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  bench.pods.last.say('Hi').finish();
  await ticket.outcome;
  const written = bench.journal.units.length;
  ticket.leave();
  await bench.settle();
  assert.deepEqual([bench.row(ticket.orderId).status, bench.journal.units.length], ['done', written]);
});

test('an order with a key runs on without its caller, and a repeat gets the answer', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running(keyed());
  ticket.leave();
  await bench.settle();
  assert.equal(bench.pods.last.aborted, false);
  bench.pods.last.say('kept').finish();
  await bench.settle();
  const replay = await bench.orderService.submit(bench.customer, keyed());
  assert.equal(replay.type === 'replay' && replay.result.answer.generation.text, 'kept');
});

test('an order with a key whose result will not be stored ends with its caller', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running(keyed({ store: false }));
  ticket.leave();
  await bench.settle();
  assert.equal(bench.pods.last.aborted, true);
});

test('an order with a key is tried again although its caller left', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running(keyed());
  ticket.leave();
  bench.pods.last.end(failed);
  await bench.settle();
  assert.equal(bench.row(ticket.orderId).status, 'queued');
});

// Spec 6.3-12
test('a settlement is reported as uncertain after ten seconds, and not before', async () => {
  const bench = new OrderServiceBench();
  const { outcome } = await bench.running();
  bench.journal.pause();
  bench.pods.last.finish();
  let over = false;
  void outcome.then(() => {
    over = true;
  });
  await bench.clock.advance(9999);
  assert.equal(over, false);
  await bench.clock.advance(1);
  assert.equal(faultOf(await outcome).code, 'settlement_uncertain');
});

test('the hold of an order stays while its settlement does not commit', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running();
  const { hold } = bench.row(orderId);
  bench.journal.pause();
  bench.pods.last.finish();
  await bench.clock.advance(60_000);
  assert.equal(bench.funds.held, hold);
  bench.journal.resume();
  await bench.settle();
  assert.equal(bench.funds.held, 0n);
});

test('a failure that does not commit in time is reported as uncertain, and is free in the end', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  bench.journal.pause();
  bench.pods.last.end({ kind: 'refused', message: 'planted' });
  await bench.clock.advance(11_000);
  assert.equal(faultOf(await outcome).code, 'settlement_uncertain');
  bench.journal.resume();
  await bench.settle();
  assert.equal(bench.row(orderId).error, 'model_refused');
  bench.audit();
});

test('the settlement of an attempt that the database has abandoned charges nothing and is reported as uncertain', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  bench.change(orderId, { attempt: 2 });
  bench.pods.last.say('late').finish();
  const fault = faultOf(await outcome);
  assert.deepEqual([fault.code, fault.orderId], ['settlement_uncertain', orderId]);
  assert.deepEqual([bench.row(orderId).status, bench.journal.settled.size], ['executing', 0]);
});

test('an order whose requeue finds another attempt is given up, and leaves the book', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  bench.change(orderId, { attempt: 2 });
  bench.pods.last.end(failed);
  assert.equal(faultOf(await outcome).code, 'settlement_uncertain');
  assert.equal(bench.sent('withdraw').at(-1)?.order, orderId);
});

test('the receipt and the stored result of a charge that was written off in part say what was debited', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running(keyed());
  bench.setFunds({ ...bench.funds, balance: bench.funds.held });
  const paid = bench.funds.balance;
  bench.pods.last.say(LARGE_TEXT).finish({ promptTokens: 8000, outputTokens: 50 });
  const end = await outcome;
  assert.equal(end.status === 'done' && end.answer.receipt.charged, paid);
  await bench.settle();
  const result = await bench.results.get(orderId);
  assert.equal(result && decodeResult(result).answer.receipt.charged, paid);
  assert.equal(bench.funds.balance, 0n);
});

test('a slot is given back with the settlement and not before, so that no row of another order runs on it', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running(keyed());
  bench.results.failing = true;
  bench.pods.last.say(LARGE_TEXT).finish();
  await bench.settle();
  assert.deepEqual([bench.row(orderId).status, bench.sent('release').length], ['executing', 0]);
  bench.results.failing = false;
  await bench.clock.advance(250);
  assert.equal((await outcome).status, 'done');
  assert.deepEqual(
    bench.sent('release').map(({ order, reason }) => [order, reason]),
    [[orderId, 'finished']],
  );
});

test('a large result that nobody was promised is stored after the settlement', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  bench.results.failing = true;
  bench.pods.last.say(LARGE_TEXT).finish();
  assert.equal((await outcome).status, 'done');
  bench.results.failing = false;
  await bench.clock.advance(1000);
  assert.equal(bench.row(orderId).resultState, 'stored');
});

/** A queued order whose input waits in a file. */
async function inFile(bench: OrderServiceBench, extensions: Parameters<typeof testRequest>[0] = {}) {
  const json = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(300_000) }] }));
  const generation = { json, promptBound: 100, promptEstimate: 50 };
  return bench.waiting(testRequest(extensions, { generation }));
}

test('a caller that leaves while the input of its order is read back pays nothing, and no pod is asked', async (t) => {
  const bench = new OrderServiceBench();
  const ticket = await inFile(bench);
  const read = Promise.withResolvers<Uint8Array | null>();
  const stored = await bench.inputFiles.get(ticket.orderId);
  t.mock.method(bench.inputFiles, 'get', () => read.promise);
  await bench.admit(ticket.orderId);
  ticket.leave();
  read.resolve(stored);
  await bench.settle();
  assert.equal(bench.pods.attempts.length, 0);
  const { status, error } = bench.row(ticket.orderId);
  assert.deepEqual([status, error, bench.funds.held], ['error', 'client_closed', 0n]);
  assert.equal(bench.sent('release').length, 1);
  bench.audit();
});

test('a detached order whose input cannot be read is tried again after growing pauses, and then runs', async (t) => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await inFile(bench, { detached: true });
  const get = t.mock.method(bench.inputFiles, 'get', () => Promise.reject(new Error('planted')));
  const rests = () => bench.sent('rest').length;
  await bench.admit(orderId);
  for (const [failed, pauseMs] of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000].entries()) {
    assert.deepEqual([bench.row(orderId).status, bench.row(orderId).failures, rests()], ['queued', 0, failed + 1]);
    await bench.clock.advance(pauseMs - 1000);
    assert.equal(rests(), failed + 1, 'it rests only when its pause is over');
    await bench.clock.advance(1000);
    assert.equal(rests(), failed + 2);
    if (failed === 7) get.mock.restore();
    await bench.admit(orderId, { attempt: failed + 2 });
  }
  await bench.settle();
  bench.pods.last.finish();
  assert.equal((await outcome).status, 'done');
  bench.audit();
});

test('a detached order whose input cannot be read until it expires ends with a code of its own', async (t) => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await inFile(bench, { detached: true, maxWaitS: 30 });
  t.mock.method(bench.inputFiles, 'get', () => Promise.reject(new Error('planted')));
  await bench.admit(orderId);
  await bench.clock.advance(30_000);
  const fault = faultOf(await outcome);
  assert.deepEqual([fault.status, fault.code, fault.orderId], [500, 'input_unreadable', orderId]);
  assert.deepEqual([bench.row(orderId).status, bench.row(orderId).error], ['error', 'input_unreadable']);
  assert.equal(bench.ends.at(-1)?.error, 'input_unreadable');
  bench.audit();
});

test('a line of a batch whose row cannot be read waits until its batch expires, and then has a code of its own', async (t) => {
  const bench = new OrderServiceBench();
  const line = testLine({ expiresAtMs: bench.clock.nowMs() + 300_000 });
  const generation = { body: { messages: ['x'.repeat(10_000)] }, promptBound: 100, promptEstimate: 50 };
  const { orderId, outcome } = await bench.waiting(testRequest({}, { generation }), { line });
  const body = t.mock.method(bench.journal, 'body', () => Promise.reject(new Error('planted')));
  for (let attempt = 1; attempt <= 8; attempt++) {
    await bench.admit(orderId, { attempt });
    assert.deepEqual([bench.row(orderId).status, bench.row(orderId).failures], ['queued', 0]);
    await bench.clock.advance(Math.min(60_000, 1000 * 2 ** (attempt - 1)));
  }
  assert.deepEqual([body.mock.callCount(), bench.pods.attempts.length], [8, 0]);
  await bench.clock.advance(120_000);
  assert.equal(faultOf(await outcome).code, 'input_unreadable');
  assert.deepEqual([bench.row(orderId).status, bench.row(orderId).error], ['error', 'input_unreadable']);
  bench.audit();
});

test('a detached order that waits after a failed read can be canceled, and a drain leaves it to the next process', async (t) => {
  const bench = new OrderServiceBench();
  const canceled = await inFile(bench, { detached: true });
  const left = await inFile(bench, { detached: true });
  t.mock.method(bench.inputFiles, 'get', () => Promise.reject(new Error('planted')));
  for (const { orderId } of [canceled, left]) await bench.admit(orderId);
  await bench.orderService.cancel(wholeAccount('acct'), canceled.orderId);
  assert.deepEqual(bench.orderService.standing('tide').rests, [], 'neither is in the book');
  await bench.orderService.drain(0);
  assert.equal(bench.clock.pending, 0);
  assert.deepEqual([bench.row(canceled.orderId).status, bench.row(left.orderId).status], ['canceled', 'queued']);
});

test('an order whose caller waits is refused when its input is gone', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await inFile(bench);
  bench.inputFiles.blobs.clear();
  await bench.admit(orderId);
  assert.equal(faultOf(await outcome).code, 'input_unreadable');
  assert.equal(bench.pods.attempts.length, 0);
});

test('output of an attempt that is over reaches neither the caller nor the next attempt', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  const [first] = bench.pods.attempts;
  first?.end(failed);
  await bench.settle();
  await bench.admit(orderId, { attempt: 2 });
  first?.say('late');
  bench.pods.last.say('Hi').finish();
  const end = await outcome;
  assert.equal(end.status === 'done' && end.answer.generation.text, 'Hi');
});

test('metrics and traces that throw cost an order nothing', async () => {
  const planted = (): never => {
    throw new Error('planted');
  };
  const context = { traceparent: '', tracestate: null };
  const followers = [
    { began: planted, ended: planted },
    { began: () => ({ context, ended: planted }), ended: planted },
  ];
  for (const follower of followers) {
    const bench = new OrderServiceBench();
    bench.ends.push = planted;
    bench.runs.push = planted;
    const trace = { requestId: null, context: null, follower };
    const done = await bench.running(testRequest({}, { trace }));
    bench.pods.last.say('Hi').finish();
    assert.equal((await done.outcome).status, 'done');
    const refused = await bench.running(testRequest({}, { trace }));
    bench.pods.last.end({ kind: 'refused', message: 'planted' });
    assert.equal(faultOf(await refused.outcome).code, 'model_refused');
    assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
    bench.audit();
  }
});

test('a pod gets no cap that the caller did not send and that might not fit, also after the input was read back', async () => {
  const bench = new OrderServiceBench();
  const { contextLength } = benchListing();
  const measured = { promptBound: contextLength - 100, promptEstimate: contextLength / 2 };
  const withoutCapOf = async (body: JsonObject, outputCap: number | null) => {
    const json = Buffer.from(JSON.stringify({ ...body, messages: ['x'.repeat(300_000)] }));
    const asked = [];
    for (const generation of [
      { body, ...measured },
      { json, ...measured },
    ]) {
      await bench.running(testRequest({}, { generation, outputCap }));
      asked.push(bench.pods.last.request.withoutCap);
      bench.pods.last.say('Hi').finish();
      await bench.settle();
    }
    return asked;
  };
  assert.deepEqual(await withoutCapOf({ messages: [] }, null), [true, true]);
  assert.deepEqual(await withoutCapOf({ messages: [], max_tokens: 200 }, 200), [false, false]);
  bench.audit();
});

test('an order whose pod says that the context is full fails with the counts that are known', async () => {
  const bench = new OrderServiceBench();
  const failed = await bench.running(testRequest());
  bench.pods.last.end({ kind: 'refused', message: 'No.', overfull: { prompt: 5000, limit: 4096 } });
  const fault = faultOf(await failed.outcome);
  assert.deepEqual([fault.code, fault.status], ['context_length_exceeded', 400]);
  assert.match(fault.message, /^prompt is too long: 5000 tokens > 4096 maximum\./);
  assert.equal(bench.row(failed.orderId).error, 'context_length_exceeded');
  bench.audit();
});
