/** First writes and admissions: what the exchange chooses is run, refused, held back for money or given back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOf, OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';

/** The hold of an order with 100 prompt and 50 output tokens at 1 dollar. */
const HOLD = 1_111_112n;

test('an order that is unknown gives its slot back', async () => {
  const bench = new OrderServiceBench();
  await bench.admit('no-such-order');
  assert.equal(bench.sent('release')[0]?.reason, 'refused');
});

test('an order chosen for an attempt other than its next gives the slot back and stays queued', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting();
  await bench.admit(orderId, { attempt: 2 });
  assert.deepEqual([bench.sent('release')[0]?.attempt, bench.row(orderId).status], [2, 'queued']);
});

test('an order that is chosen twice runs once and gives the second slot back', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running();
  await bench.admit(orderId, { pod: 'pod-2' });
  assert.deepEqual([bench.pods.attempts.length, bench.sent('release')[0]?.pod], [1, 'pod-2']);
  assert.equal(bench.row(orderId).status, 'executing');
});

test('an order that is chosen while its first row is written is written as queued, then as executing', async () => {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit();
  bench.journal.pause();
  await bench.rest(id);
  await bench.admit(id);
  bench.journal.resume();
  await submission;
  await bench.settle();
  assert.deepEqual(
    bench.journal.units.map(({ kind }) => kind),
    ['accept', 'admit'],
  );
  assert.equal(bench.pods.attempts.length, 1);
});

test('an order whose row is no longer queued is not run, and its caller gets an internal error', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  bench.change(orderId, { status: 'canceled' });
  await bench.admit(orderId);
  assert.deepEqual([faultOf(await outcome).code, faultOf(await outcome).orderId], ['internal_error', orderId]);
  assert.deepEqual([bench.pods.attempts.length, bench.sent('release')[0]?.reason], [0, 'refused']);
});

test('an order whose admission cannot be written ends in its row before its caller gets the error', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  const rows = outcome.then(() => bench.row(orderId).status);
  bench.journal.failNext = 'admit';
  await bench.admit(orderId);
  assert.equal(faultOf(await outcome).code, 'internal_error');
  assert.deepEqual([await rows, bench.row(orderId).error], ['error', 'internal_error']);
  assert.deepEqual([bench.pods.attempts.length, bench.sent('release').length], [0, 1]);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
  assert.deepEqual(
    bench.ends.map(({ status, error }) => [status, error]),
    [['error', 'internal_error']],
  );
});

test('an order whose end cannot be written either stays known here, so that it is not picked up and run', async () => {
  const sentences: string[] = [];
  const note = (_fields: object, sentence: string) => void sentences.push(sentence);
  const bench = new OrderServiceBench({ log: { debug: note, info: note, warn: note, error: note } });
  const { orderId, outcome } = await bench.waiting(testRequest({ detached: true }));
  bench.refuse('admit', 'close');
  await bench.admit(orderId);
  assert.equal(faultOf(await outcome).code, 'internal_error');
  assert.deepEqual([bench.row(orderId).status, bench.orderService.has(orderId)], ['queued', true]);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
  const rests = bench.sent('rest').length;
  bench.orderService.recover([bench.row(orderId)]);
  assert.equal(bench.sent('rest').length, rests);
  assert.equal(sentences.filter((sentence) => sentence.includes('stays as it is')).length, 1);
});

test('a first write that can never be applied refuses the request, and leaves no order', async () => {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit();
  bench.journal.failNext = 'accept';
  await bench.admit(id);
  await assert.rejects(submission, /planted/);
  assert.deepEqual([bench.journal.orders.size, bench.sent('release')[0]?.reason], [0, 'refused']);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
});

test('an order that could start at once but is refused because of another hold is taken and waits', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(HOLD + 1n);
  await bench.running();
  const { id, submission } = await bench.submit();
  await bench.admit(id);
  assert.equal((await submission).type, 'order');
  assert.deepEqual([bench.row(id).status, bench.row(id).attempt, bench.row(id).price], ['queued', 0, null]);
  assert.deepEqual(bench.orderService.counts(), { queued: 1, inflight: 1 });
});

test('an order that waits for money keeps its attempt: it is chosen again for the same one', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(HOLD + 1n);
  const first = await bench.running();
  const second = await bench.waiting();
  await bench.admit(second.orderId);
  bench.pods.last.finish({ promptTokens: 0, outputTokens: 0 });
  await first.outcome;
  await bench.admit(second.orderId, { attempt: 1 });
  assert.equal(bench.row(second.orderId).status, 'executing');
  bench.audit();
});

test('an order that waits for money returns as soon as a pod failure releases a hold', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(HOLD + 1n);
  await bench.running();
  const second = await bench.waiting();
  await bench.admit(second.orderId);
  bench.pods.last.end({ kind: 'failed', reason: 'planted' });
  await bench.settle();
  assert.equal(returns(bench, second.orderId), 1);
});

test('an order that waits for money returns as soon as one that ends in error releases its hold', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(HOLD + 1n);
  await bench.running();
  const second = await bench.waiting();
  await bench.admit(second.orderId);
  bench.pods.last.end({ kind: 'refused', message: 'planted' });
  await bench.settle();
  assert.equal(returns(bench, second.orderId), 1);
});

test('an order that waits for money returns within a second of a top-up from outside', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(HOLD + 1n);
  await bench.running();
  const second = await bench.waiting();
  await bench.admit(second.orderId);
  bench.credit(HOLD);
  await bench.clock.advance(1000);
  assert.equal(returns(bench, second.orderId), 1);
});

test('an order that is refused its hold although nothing else is held is never sent to a pod', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  bench.setBalance(HOLD - 1n);
  await bench.admit(orderId);
  const fault = faultOf(await outcome);
  assert.deepEqual([fault.status, fault.code, fault.orderId], [402, 'insufficient_balance', orderId]);
  assert.equal(bench.pods.attempts.length, 0);
});

test('the hold is the worst case at the price of the admission, not at the bid', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running(testRequest({ limit: 90e9 }));
  assert.equal(bench.row(orderId).hold, HOLD);
});

test('a lock runs at its quote when the level has risen since', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting(testRequest({ priceLock: true }));
  await bench.admit(orderId, { level: 4e9 });
  assert.deepEqual([bench.row(orderId).quoteAtSubmission, bench.row(orderId).price], [1e9, 1e9]);
});

test('an order of the house account holds nothing and runs without a balance', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(0n);
  const { orderId } = await bench.running(testRequest(), { customer: { ...bench.customer, house: true } });
  assert.deepEqual([bench.row(orderId).status, bench.row(orderId).hold], ['executing', 0n]);
  assert.equal(bench.sent('rest')[0]?.house, true);
});

test('the input of an order whose caller waits for it is not written', async () => {
  const bench = new OrderServiceBench();
  await bench.waiting();
  assert.equal(bench.journal.bodies.size, 0);
});

test('an order that finds its queue full is 429 without Retry-After, and nothing is written', async () => {
  const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 0 } });
  const { id, submission } = await bench.submit();
  await bench.rest(id);
  await assert.rejects(submission, { code: 'queue_full', status: 429, retryAfterS: null });
  assert.equal(bench.journal.units.length, 0);
});

test('a line of a batch that takes no more lines is canceled, and leaves the book and the counts', async () => {
  const bench = new OrderServiceBench();
  bench.journal.closeBatch('batch');
  const { id, submission } = await bench.submit(testRequest(), { line: testLine() });
  await bench.rest(id);
  await assert.rejects(submission, { code: 'order_canceled' });
  assert.equal(bench.sent('withdraw')[0]?.order, id);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
});

test('a line of such a batch that could start at once gives the slot back', async () => {
  const bench = new OrderServiceBench();
  bench.journal.closeBatch('batch');
  const { id, submission } = await bench.submit(testRequest(), { line: testLine() });
  await bench.admit(id);
  await assert.rejects(submission, { code: 'order_canceled' });
  assert.deepEqual([bench.sent('release')[0]?.reason, bench.pods.attempts.length], ['refused', 0]);
});

test('a new order is refused when its market does not answer in time, and leaves it', async () => {
  const bench = new OrderServiceBench({ marketAnswerMs: 10_000 });
  const { id, submission } = await bench.submit();
  await bench.clock.advance(9_999);
  assert.equal(bench.orderService.counts().inflight, 1);
  await bench.clock.advance(1);
  await assert.rejects(submission, { code: 'unavailable', retryAfterS: 5 });
  assert.deepEqual([bench.sent('withdraw')[0]?.order, bench.journal.orders.size], [id, 0]);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
  await bench.admit(id);
  assert.equal(bench.sent('release')[0]?.reason, 'refused', 'a late answer gives the slot back');
});

test('a line of a batch is refused as well, so that its place is free and it can be submitted again', async () => {
  const bench = new OrderServiceBench({ marketAnswerMs: 10_000 });
  const { submission } = await bench.submit(testRequest(), { line: testLine() });
  await bench.clock.advance(10_000);
  await assert.rejects(submission, { code: 'unavailable' });
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
  const again = await bench.submit(testRequest(), { line: testLine() });
  await bench.rest(again.id);
  assert.equal((await again.submission).type, 'order');
});

test('an order that its market has answered is not refused later', async () => {
  const bench = new OrderServiceBench({ marketAnswerMs: 10_000 });
  const { orderId } = await bench.waiting();
  const running = await bench.running();
  await bench.clock.advance(20_000);
  assert.deepEqual([bench.row(orderId).status, bench.row(running.orderId).status], ['queued', 'executing']);
});

/** How often the order returned to its book with money. */
function returns(bench: OrderServiceBench, orderId: string): number {
  return bench.sent('rest').filter(({ order, waitedForMoney }) => order === orderId && waitedForMoney).length;
}
