/** A database that does not confirm in time: callers get 503, and an order that was refused so never runs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import { faultOf, OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';

const detached = testRequest({ detached: true });
const keyed = testRequest({}, { idempotency: { key: 'once', fingerprint: 'f' } });
const isRefused = { status: 503, code: 'unavailable', retryAfterS: 1 };

for (const [what, request] of Object.entries({
  'an order': testRequest(),
  'a detached order': detached,
  'a keyed order': keyed,
})) {
  test(`${what} whose row commits too late is canceled and leaves the book`, async () => {
    const bench = new OrderServiceBench();
    bench.journal.pause();
    const { id, submission } = await bench.submit(request);
    await bench.rest(id);
    bench.journal.passDeadline();
    await assert.rejects(submission, isRefused);
    bench.journal.resume();
    await bench.settle();
    assert.deepEqual([bench.row(id).status, bench.row(id).error], ['canceled', 'gateway_unavailable']);
    assert.equal(bench.sent('withdraw')[0]?.order, id);
    assert.deepEqual([bench.orderService.counts(), bench.journal.keys.size], [{ queued: 0, inflight: 0 }, 0]);
    bench.audit();
  });

  test(`${what} that was to run at once and commits too late ends before it runs`, async () => {
    const bench = new OrderServiceBench();
    bench.journal.pause();
    const { id, submission } = await bench.submit(request);
    await bench.admit(id);
    bench.journal.passDeadline();
    await assert.rejects(submission, isRefused);
    bench.journal.resume();
    await bench.settle();
    assert.deepEqual([bench.row(id).status, bench.row(id).error], ['error', 'gateway_unavailable']);
    assert.equal(bench.sent('release')[0]?.order, id);
    assert.deepEqual([bench.pods.attempts.length, bench.funds.held, bench.journal.keys.size], [0, 0n, 0]);
    bench.audit();
  });

  test(`${what} chosen while its first write was late does not run`, async () => {
    const bench = new OrderServiceBench();
    bench.journal.pause();
    const { id, submission } = await bench.submit(request);
    await bench.rest(id);
    await bench.admit(id);
    bench.journal.passDeadline();
    await assert.rejects(submission, isRefused);
    bench.journal.resume();
    await bench.settle();
    assert.equal(bench.row(id).error, 'gateway_unavailable');
    assert.deepEqual([bench.pods.attempts.length, bench.orderService.counts()], [0, { queued: 0, inflight: 0 }]);
    bench.audit();
  });
}

test('a detached order that was refused is not left for the next process', async () => {
  const bench = new OrderServiceBench();
  bench.journal.pause();
  const { id, submission } = await bench.submit(detached);
  await bench.rest(id);
  bench.journal.passDeadline();
  await assert.rejects(submission, isRefused);
  const drained = bench.orderService.drain(1000);
  bench.journal.resume();
  await drained;
  assert.deepEqual([bench.row(id).status, bench.row(id).error], ['canceled', 'gateway_unavailable']);
});

test('a cancellation that commits too late is answered 503, and the order is canceled later', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  bench.journal.pause();
  const canceled = bench.orderService.cancel(wholeAccount('acct'), orderId);
  bench.journal.passDeadline();
  await assert.rejects(canceled, isRefused);
  assert.equal(faultOf(await outcome).orderId, orderId);
  bench.journal.resume();
  await bench.settle();
  assert.equal(bench.row(orderId).status, 'canceled');
});

test('an order that expires during an outage answers its caller', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  bench.journal.pause();
  await bench.clock.advance(600_000);
  bench.journal.passDeadline();
  assert.equal(faultOf(await outcome).status, 503);
  bench.journal.resume();
  await bench.settle();
  assert.equal(bench.row(orderId).status, 'expired');
});

test('a line has no caller: it waits for its commit and runs', async () => {
  const bench = new OrderServiceBench();
  bench.journal.pause();
  const { id, submission } = await bench.submit(testRequest(), { line: testLine() });
  await bench.admit(id);
  bench.journal.passDeadline();
  bench.journal.resume();
  assert.equal((await submission).type, 'order');
  assert.equal(bench.row(id).status, 'executing');
});
