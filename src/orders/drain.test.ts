/** A closing gateway: what happens to orders in each phase, with a caller or outliving it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import { faultOf, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { CUT_OFF_MS_MAX } from './order-service.ts';

const LIMIT_MS = 30_000;
const detached = testRequest({ detached: true });

test('a closing gateway refuses new requests with 503 and a Retry-After', async () => {
  const bench = new OrderServiceBench();
  void bench.orderService.drain(LIMIT_MS);
  const refused = bench.orderService.submit(bench.customer, testRequest());
  await assert.rejects(refused, { status: 503, code: 'unavailable', retryAfterS: 5 });
});

test('a queued order that the closing gateway ends leaves the book, and its row says why', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  await bench.orderService.drain(LIMIT_MS);
  assert.equal(faultOf(await outcome).orderId, orderId);
  assert.equal(bench.sent('withdraw')[0]?.order, orderId);
  assert.deepEqual([bench.row(orderId).status, bench.row(orderId).error], ['canceled', 'gateway_draining']);
});

test('an order whose pod fails while the gateway closes is turned away, not requeued', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  const drained = bench.orderService.drain(LIMIT_MS);
  const rested = bench.sent('rest').length;
  bench.pods.last.end({ kind: 'failed', reason: 'planted' });
  await drained;
  assert.equal(faultOf(await outcome).status, 503);
  assert.deepEqual([bench.row(orderId).status, bench.sent('rest').length], ['canceled', rested]);
});

test('a detached order whose pod fails while the gateway closes stays queued', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running(detached);
  const drained = bench.orderService.drain(LIMIT_MS);
  bench.pods.last.end({ kind: 'failed', reason: 'planted' });
  await drained;
  assert.equal(bench.row(orderId).status, 'queued');
  bench.audit();
});

test('a detached order that finishes within the limit is settled', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running(detached);
  const drained = bench.orderService.drain(LIMIT_MS);
  bench.pods.last.say('Hi').finish();
  await drained;
  assert.equal(bench.row(orderId).status, 'done');
});

test('a detached order that still runs at the limit is left for the next process, and its pod stops', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running(detached);
  const drained = bench.orderService.drain(LIMIT_MS);
  await bench.clock.advance(LIMIT_MS);
  await drained;
  assert.equal(bench.pods.last.aborted, true);
  assert.equal(bench.row(orderId).status, 'executing');
  // Its row still holds the slot: an order that got it now would be one more row than the pod has slots.
  assert.deepEqual(bench.sent('release'), []);
});

test('the drain waits for a settlement that is being written at the limit', async () => {
  const bench = new OrderServiceBench();
  const { outcome } = await bench.running();
  bench.journal.pause();
  bench.pods.last.say('Hi').finish();
  const drained = bench.orderService.drain(1000);
  await bench.clock.advance(1000);
  bench.journal.resume();
  await drained;
  assert.equal((await outcome).status, 'done');
  bench.audit();
});

test('the drain waits for a cancel that is being written when it begins', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  bench.journal.pause();
  const canceled = bench.orderService.cancel(wholeAccount('acct'), orderId);
  const drained = bench.orderService.drain(LIMIT_MS);
  bench.journal.resume();
  await Promise.all([canceled, drained]);
  assert.equal(faultOf(await outcome).code, 'order_canceled');
});

test('an order that is chosen while the gateway closes runs to its end', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  bench.journal.pause();
  await bench.admit(orderId);
  const drained = bench.orderService.drain(LIMIT_MS);
  bench.journal.resume();
  await bench.settle();
  bench.pods.last.say('Hi').finish();
  await drained;
  assert.equal((await outcome).status, 'done');
});

for (const request of [testRequest(), detached]) {
  const which = request.extensions.detached ? 'a detached order' : 'an order';
  test(`${which} whose admission commits after the limit is not sent to a pod`, async () => {
    const bench = new OrderServiceBench();
    const { orderId, outcome } = await bench.waiting(request);
    bench.journal.pause();
    await bench.admit(orderId);
    const drained = bench.orderService.drain(LIMIT_MS);
    await bench.clock.advance(LIMIT_MS);
    bench.journal.resume();
    await bench.clock.advance(CUT_OFF_MS_MAX);
    await drained;
    assert.equal(bench.pods.attempts.length, 0);
    assert.equal(faultOf(await outcome).status, 503);
    assert.equal(bench.row(orderId).status, request.extensions.detached ? 'executing' : 'error');
  });
}

test('a journal that does not commit delays the end by the time for orders cut off, and no longer', async () => {
  const bench = new OrderServiceBench();
  await bench.running();
  bench.journal.pause();
  let over = false;
  const drained = bench.orderService.drain(LIMIT_MS).then(() => {
    over = true;
  });
  await bench.clock.advance(LIMIT_MS + CUT_OFF_MS_MAX - 1);
  assert.equal(over, false);
  await bench.clock.advance(1);
  await drained;
});

test('a closed gateway expires no order that it leaves queued', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting(detached);
  await bench.orderService.drain(LIMIT_MS);
  await bench.clock.advance(600_000);
  assert.equal(bench.row(orderId).status, 'queued');
});

test('a gateway without orders closes at once', async () => {
  const bench = new OrderServiceBench();
  await bench.orderService.drain(LIMIT_MS);
  assert.equal(bench.clock.pending, 0);
});

test('beside other gateways, what callers wait for may still start; the rest is left to them', async () => {
  const bench = new OrderServiceBench();
  const [awaited, left] = [await bench.waiting(), await bench.waiting(detached)];
  const drained = bench.orderService.drain(LIMIT_MS, { callersMayWait: true });
  assert.deepEqual(bench.orderService.counts(), { queued: 1, inflight: 0 });
  await bench.admit(awaited.orderId);
  bench.pods.last.say('Hi').finish();
  await drained;
  assert.equal((await awaited.outcome).status, 'done');
  assert.deepEqual([bench.row(awaited.orderId).status, bench.row(left.orderId).status], ['done', 'queued']);
});

test('beside other gateways, what still waits at the limit is turned away', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  const drained = bench.orderService.drain(LIMIT_MS, { callersMayWait: true });
  await bench.clock.advance(LIMIT_MS);
  await drained;
  assert.equal(faultOf(await outcome).orderId, orderId);
  assert.equal(bench.row(orderId).error, 'gateway_draining');
});
