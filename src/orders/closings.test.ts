/** Queued orders that end: by whom, with which row and fault, and in which races. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import { faultOf, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';

const failed = { kind: 'failed', reason: 'planted' } as const;

/** A bench with an order that is parked because of the hold of another. */
async function parkedBench() {
  const bench = new OrderServiceBench();
  bench.setBalance(1_500_000n);
  const first = await bench.running();
  const parked = await bench.waiting();
  await bench.admit(parked.orderId);
  assert.equal(bench.journal.parked, 1);
  return { bench, first, parked };
}

test('the caller is not answered before its cancel has committed', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  let answered = false;
  bench.journal.pause();
  const canceled = bench.orderService.cancel(wholeAccount('acct'), orderId);
  void Promise.race([canceled, outcome]).then(() => {
    answered = true;
  });
  await bench.settle();
  assert.equal(answered, false);
  bench.journal.resume();
  await canceled;
});

test('of two concurrent cancels one succeeds and the other is refused', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting();
  const cancels = [
    bench.orderService.cancel(wholeAccount('acct'), orderId),
    bench.orderService.cancel(wholeAccount('acct'), orderId),
  ];
  const [first, second] = await Promise.allSettled(cancels);
  assert.deepEqual([first?.status, second?.status], ['fulfilled', 'rejected']);
});

test('an order whose admission is being written is not cancelable', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting();
  bench.journal.pause();
  await bench.admit(orderId);
  await assert.rejects(bench.orderService.cancel(wholeAccount('acct'), orderId), {
    code: 'order_not_cancelable',
    orderId,
  });
});

test('an order that is being settled is not cancelable', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running();
  bench.journal.pause();
  bench.pods.last.finish();
  await assert.rejects(bench.orderService.cancel(wholeAccount('acct'), orderId), { code: 'order_not_cancelable' });
});

test('a requeued order can be canceled before its requeue has committed', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running();
  bench.journal.pause();
  bench.pods.last.end(failed);
  const canceled = bench.orderService.cancel(wholeAccount('acct'), orderId);
  bench.journal.resume();
  await canceled;
  assert.equal(bench.row(orderId).status, 'canceled');
  bench.audit();
});

test('a caller that leaves while its order is requeued cancels it', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  bench.journal.pause();
  bench.pods.last.end(failed);
  ticket.leave();
  bench.journal.resume();
  await bench.settle();
  assert.equal(bench.row(ticket.orderId).error, 'client_closed');
});

test('an order with a key stays queued without its caller, and can still be canceled', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.waiting(testRequest({}, { idempotency: { key: 'k', fingerprint: 'f' } }));
  ticket.leave();
  await bench.settle();
  assert.equal(bench.row(ticket.orderId).status, 'queued');
  await bench.orderService.cancel(wholeAccount('acct'), ticket.orderId);
  assert.equal(bench.row(ticket.orderId).status, 'canceled');
});

test('an order with a key whose result will not be stored is canceled with its caller', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.waiting(testRequest({ store: false }, { idempotency: { key: 'k', fingerprint: 'f' } }));
  ticket.leave();
  await bench.settle();
  assert.equal(bench.row(ticket.orderId).status, 'canceled');
});

test('a parked order can be canceled', async () => {
  const { bench, parked } = await parkedBench();
  await bench.orderService.cancel(wholeAccount('acct'), parked.orderId);
  assert.equal(bench.row(parked.orderId).status, 'canceled');
  bench.audit();
});

test('a parked order expires at its time', async () => {
  const { bench, parked } = await parkedBench();
  await bench.clock.advance(600_000);
  assert.equal(faultOf(await parked.outcome).code, 'order_expired');
});

test('a parked order is canceled with its caller', async () => {
  const { bench, parked } = await parkedBench();
  parked.leave();
  await bench.settle();
  assert.equal(bench.row(parked.orderId).error, 'client_closed');
});

test('a parked order of a suspended account is canceled', async () => {
  const { bench, parked } = await parkedBench();
  bench.journal.suspend('acct');
  await bench.clock.advance(1000);
  assert.equal(bench.row(parked.orderId).error, 'account_suspended');
});

test('a caller that leaves while its order is being parked cancels it', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(1_500_000n);
  await bench.running();
  const second = await bench.waiting();
  bench.journal.pause();
  await bench.admit(second.orderId);
  second.leave();
  bench.journal.resume();
  await bench.settle();
  assert.deepEqual([bench.row(second.orderId).status, bench.pods.attempts.length], ['canceled', 1]);
});

test('an order that expires while its first row is written ends as expired', async () => {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit(testRequest({ maxWaitS: 10 }));
  bench.journal.pause();
  await bench.rest(id);
  await bench.clock.advance(10_000);
  bench.journal.resume();
  await submission;
  await bench.settle();
  assert.equal(bench.row(id).status, 'expired');
});

test('an order that reaches its expiry while its admission is written runs', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting(testRequest({ maxWaitS: 10 }));
  bench.journal.pause();
  await bench.admit(orderId);
  await bench.clock.advance(10_000);
  bench.journal.resume();
  await bench.settle();
  bench.pods.last.finish();
  assert.equal((await outcome).status, 'done');
});

test('the market counts an expiry as expired, and a cancel not', async () => {
  const bench = new OrderServiceBench();
  await bench.waiting(testRequest({ priceLock: true }));
  const canceled = await bench.waiting();
  await bench.orderService.cancel(wholeAccount('acct'), canceled.orderId);
  await bench.clock.advance(10_000);
  const expiries = bench.sent('withdraw').map(({ expired }) => expired);
  assert.deepEqual(expiries, [false, true]);
});

test('an end that cannot be written is an internal error that names the order', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  bench.journal.failNext = 'close';
  await assert.rejects(bench.orderService.cancel(wholeAccount('acct'), orderId), { code: 'order_not_cancelable' });
  const end = await outcome;
  assert.deepEqual([end.status, faultOf(end).code, faultOf(end).orderId], ['error', 'internal_error', orderId]);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
});

test('an order whose end the database refuses twice stays known here, so that it is not picked up and run', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting(testRequest({ detached: true }));
  bench.refuse('close');
  await bench.clock.advance(600_000);
  assert.equal(faultOf(await outcome).code, 'internal_error');
  assert.deepEqual([bench.row(orderId).status, bench.orderService.has(orderId)], ['queued', true]);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
});

for (const [name, end] of [
  [
    'is canceled',
    (bench: OrderServiceBench, id: string) => bench.orderService.cancel(wholeAccount('acct'), id).catch(() => {}),
  ],
  ['expires', (bench: OrderServiceBench) => bench.clock.advance(600_000)],
] as const) {
  test(`an order that ${name} ends in an internal error when the database refuses its end`, async (t) => {
    const bench = new OrderServiceBench();
    const { orderId, outcome } = await bench.waiting();
    const write = bench.journal.write.bind(bench.journal);
    t.mock.method(bench.journal, 'write', (...[unit, overdue]: Parameters<typeof write>) =>
      unit.kind === 'close' && unit.status !== 'error' ? Promise.reject(new Error('planted')) : write(unit, overdue),
    );
    await end(bench, orderId);
    assert.equal(faultOf(await outcome).code, 'internal_error');
    await bench.settle();
    assert.deepEqual([bench.row(orderId).status, bench.row(orderId).error], ['error', 'internal_error']);
    assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
    bench.audit();
  });
}
