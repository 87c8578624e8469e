/** Batch lines as orders: how they end with their batch, and how large ones wait without their input in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tariffOf } from '#ledger/tariff.ts';
import { benchListing, faultOf, OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';

const failed = { kind: 'failed', reason: 'planted' } as const;
const LINES = 200;
/** As `ENDS_AT_ONCE` in `closings.ts`. */
const ENDS_AT_ONCE = 64;
const line = testLine();
const large = testRequest(
  {},
  { generation: { body: { messages: ['kept'.repeat(2000)] }, promptBound: 2049, promptEstimate: 50 } },
);

/** A line of a batch that has `leftMs` until its deadline. */
function lineFor(bench: OrderServiceBench, leftMs: number) {
  return testLine({ expiresAtMs: bench.clock.nowMs() + leftMs });
}

test('a queued line is canceled with its batch, and is not charged', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting(testRequest(), { line });
  bench.orderService.cancelLines('batch');
  assert.equal(faultOf(await outcome).code, 'order_canceled');
  assert.equal(bench.row(orderId).status, 'canceled');
});

test('a line that runs when its batch is canceled finishes and is charged', async () => {
  const bench = new OrderServiceBench();
  const { outcome } = await bench.running(testRequest(), { line });
  bench.orderService.cancelLines('batch');
  bench.pods.last.say('Hi').finish();
  assert.equal((await outcome).status, 'done');
});

test('a line whose pod fails after its batch was canceled does not go back to the book', async () => {
  const bench = new OrderServiceBench();
  const { outcome } = await bench.running(testRequest(), { line });
  bench.orderService.cancelLines('batch');
  const rested = bench.sent('rest').length;
  bench.pods.last.end(failed);
  assert.equal((await outcome).status, 'canceled');
  assert.equal(bench.sent('rest').length, rested);
});

test('a line whose first row is being written is canceled as soon as that has committed', async () => {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit(testRequest(), { line });
  bench.journal.pause();
  await bench.rest(id);
  bench.orderService.cancelLines('batch');
  bench.journal.resume();
  await submission;
  await bench.settle();
  assert.equal(bench.row(id).status, 'canceled');
});

test('a line that is refused its hold after its batch was canceled is canceled', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(1_500_000n);
  await bench.running();
  const { orderId, outcome } = await bench.waiting(testRequest(), { line });
  bench.journal.pause();
  await bench.admit(orderId);
  bench.orderService.cancelLines('batch');
  bench.journal.resume();
  assert.equal((await outcome).status, 'canceled');
});

/** A reload: the model costs something else from now on. */
function reprice(bench: OrderServiceBench) {
  const dearer = tariffOf('market', { cached: '0.1', uncached: '1', output: '8' });
  bench.listings.renew([benchListing({ tariff: dearer })], 'tide');
}

test('a line that waits while a reload changes the prices is not run: it ends within a second, uncharged', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting(testRequest(), { line });
  reprice(bench);
  await bench.clock.advance(1000);
  await bench.settle();
  const { status, error, admittedAtMs } = bench.row(orderId);
  assert.deepEqual([status, error, admittedAtMs], ['error', 'prices_changed', null]);
  assert.equal(faultOf(await outcome).code, 'prices_changed');
  assert.deepEqual(bench.sent('withdraw').at(-1)?.order, orderId);
  bench.audit();
});

test('a line that is chosen before the change is noticed gives its slot back and ends without an admission', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting(testRequest(), { line });
  reprice(bench);
  await bench.admit(orderId);
  await bench.settle();
  const { status, error, admittedAtMs } = bench.row(orderId);
  assert.deepEqual([status, error, admittedAtMs], ['error', 'prices_changed', null]);
  assert.equal(faultOf(await outcome).code, 'prices_changed');
  assert.deepEqual([bench.sent('release').at(-1)?.order, bench.pods.attempts.length], [orderId, 0]);
  bench.audit();
});

test('a new line that is chosen after the prices changed is refused', async () => {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit(testRequest(), { line });
  reprice(bench);
  await bench.admit(id);
  await assert.rejects(submission, { code: 'prices_changed', orderId: null });
  assert.deepEqual([bench.sent('release').at(-1)?.order, bench.journal.orders.size], [id, 0]);
});

test('a line whose admission is being written when the prices change does not reach a pod', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting(testRequest(), { line });
  bench.journal.pause();
  await bench.admit(orderId);
  reprice(bench);
  bench.journal.resume();
  await bench.settle();
  assert.deepEqual([bench.row(orderId).error, bench.pods.attempts.length], ['prices_changed', 0]);
  assert.equal(faultOf(await outcome).code, 'prices_changed');
  bench.audit();
});

test('a line whose pod fails after the prices changed does not go back to the book', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running(testRequest(), { line });
  reprice(bench);
  bench.pods.last.end(failed);
  await bench.settle();
  assert.equal(bench.row(orderId).error, 'prices_changed');
  assert.equal(faultOf(await outcome).code, 'prices_changed');
  bench.audit();
});

test('a line that waits for money when the prices change ends within a second', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(1_500_000n);
  await bench.running();
  const { id, submission } = await bench.submit(testRequest(), { line });
  await bench.rest(id);
  await submission;
  await bench.admit(id);
  reprice(bench);
  await bench.clock.advance(1000);
  assert.equal(bench.row(id).error, 'prices_changed');
});

test('a line that runs when the prices change is charged at those of its batch', async () => {
  const bench = new OrderServiceBench();
  const { outcome } = await bench.running(testRequest(), { line });
  reprice(bench);
  bench.pods.last.say('Hi').finish();
  assert.equal((await outcome).status, 'done');
});

test('an order outside any batch keeps its prices when they change while it waits', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting();
  reprice(bench);
  await bench.clock.advance(1000);
  await bench.admit(orderId);
  assert.equal(bench.row(orderId).status, 'executing');
});

test('lines of another batch and orders outside any batch stay queued', async () => {
  const bench = new OrderServiceBench();
  const [other, plain] = [
    await bench.waiting(testRequest(), { line: testLine({ batchId: 'another' }) }),
    await bench.waiting(),
  ];
  bench.orderService.cancelLines('batch');
  await bench.settle();
  assert.deepEqual([bench.row(other.orderId).status, bench.row(plain.orderId).status], ['queued', 'queued']);
});

test('of many lines canceled together only some are written before a new order', async () => {
  const bench = new OrderServiceBench();
  for (let number = 1; number <= LINES; number++)
    await bench.waiting(testRequest(), { line: testLine({ line: number }) });
  bench.journal.pause();
  bench.orderService.cancelLines('batch');
  const { id } = await bench.submit();
  await bench.rest(id);
  bench.journal.resume();
  await bench.settle();
  const written = bench.journal.units.slice(LINES);
  assert.equal(
    written.findIndex(({ kind }) => kind === 'accept'),
    ENDS_AT_ONCE,
  );
  await bench.clock.advance(0);
  assert.deepEqual(bench.orderService.counts(), { queued: 1, inflight: 0 });
});

test('a requeued line waits no longer than its batch', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running(testRequest(), { line: lineFor(bench, 20_000) });
  await bench.clock.advance(19_000);
  bench.pods.last.end(failed);
  await bench.settle();
  assert.equal(bench.row(orderId).status, 'queued');
  await bench.clock.advance(1000);
  assert.equal((await outcome).status, 'expired');
});

test('a line that still runs at the deadline of its batch finishes', async () => {
  const bench = new OrderServiceBench();
  const { outcome } = await bench.running(testRequest(), { line: lineFor(bench, 20_000) });
  await bench.clock.advance(20_001);
  bench.pods.last.say('Hi').finish();
  assert.equal((await outcome).status, 'done');
});

test('a line does not end when its submitter leaves', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.waiting(testRequest(), { line });
  ticket.leave();
  await bench.settle();
  assert.equal(bench.row(ticket.orderId).status, 'queued');
});

test('a line with a large input runs from its stored input', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting(large, { line });
  bench.journal.bodies.set(orderId, { messages: ['read back'] });
  await bench.admit(orderId);
  assert.deepEqual(bench.pods.last.request.generation, {
    body: { messages: ['read back'] },
    promptBound: 2049,
    promptEstimate: 50,
  });
});

test('a line whose large input is gone ends uncharged and gives its slot back', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting(large, { line });
  bench.journal.bodies.delete(orderId);
  await bench.admit(orderId);
  assert.equal(faultOf(await outcome).code, 'gateway_restarted');
  assert.equal(bench.sent('release')[0]?.reason, 'finished');
  bench.audit();
});

test('a line with a large input that starts at once is not read back', async (t) => {
  const bench = new OrderServiceBench();
  const read = t.mock.method(bench.journal, 'body');
  await bench.running(large, { line });
  assert.equal(read.mock.callCount(), 0);
});

test('an order outside any batch waits with its input, however large', async (t) => {
  const bench = new OrderServiceBench();
  const read = t.mock.method(bench.journal, 'body');
  const { orderId } = await bench.waiting({ ...large, extensions: { ...large.extensions, detached: true } });
  await bench.admit(orderId);
  assert.deepEqual([read.mock.callCount(), bench.pods.attempts.length], [0, 1]);
});
