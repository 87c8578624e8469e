/** How many orders an account may have queued, which ones count, and what makes room. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import { OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';

const HOLD = 1_111_112n;
const failed = { kind: 'failed', reason: 'planted' } as const;

/** Whether one more order, or line, of the account may be queued. */
async function mayWait(bench: OrderServiceBench, sender: Parameters<OrderServiceBench['submit']>[1] = {}) {
  const { id, submission } = await bench.submit(testRequest(), sender);
  await bench.rest(id);
  return submission.then(
    () => true,
    (error) => {
      assert.equal(error.code, 'queue_full');
      return false;
    },
  );
}

/** A bench with room for one order and one line, with one queued order. */
async function fullBench() {
  const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 1, queuedBatchOrdersPerAccount: 1 } });
  const ticket = await bench.waiting();
  assert.equal(await mayWait(bench), false);
  return { bench, ticket };
}

test('batch lines and other orders are counted separately', async () => {
  const { bench } = await fullBench();
  assert.equal(await mayWait(bench, { line: testLine() }), true);
  assert.equal(await mayWait(bench, { line: testLine({ line: 2 }) }), false);
});

test('each account has its own count', async () => {
  const { bench } = await fullBench();
  bench.journal.accounts.set('other', { balance: 10_000_000_000n, held: 0n });
  assert.equal(await mayWait(bench, { customer: { ...bench.customer, accountId: 'other' } }), true);
});

test('detached orders count with the others', async () => {
  const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 1 } });
  await bench.waiting(testRequest({ detached: true }));
  assert.equal(await mayWait(bench), false);
});

test('a cancel makes room', async () => {
  const { bench, ticket } = await fullBench();
  await bench.orderService.cancel(wholeAccount('acct'), ticket.orderId);
  assert.equal(await mayWait(bench), true);
});

test('an expiry makes room', async () => {
  const { bench } = await fullBench();
  await bench.clock.advance(600_000);
  assert.equal(await mayWait(bench), true);
});

test('an admission makes room', async () => {
  const { bench, ticket } = await fullBench();
  await bench.admit(ticket.orderId);
  assert.equal(await mayWait(bench), true);
});

test('a first write that is refused makes room', async () => {
  const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 1 } });
  bench.journal.failNext = 'accept';
  const { id } = await bench.submit();
  await bench.rest(id);
  assert.equal(await mayWait(bench), true);
});

test('a requeued order is taken although the queue is full, and counts from then on', async () => {
  const { bench, ticket } = await fullBench();
  await bench.admit(ticket.orderId);
  await bench.waiting();
  bench.pods.last.end(failed);
  await bench.settle();
  assert.deepEqual(bench.orderService.counts(), { queued: 2, inflight: 0 });
  await bench.orderService.cancel(wholeAccount('acct'), ticket.orderId);
  assert.equal(await mayWait(bench), false);
});

test('a parked order counts', async () => {
  const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 1 } });
  bench.setBalance(HOLD + 1n);
  await bench.running();
  const { orderId } = await bench.waiting();
  await bench.admit(orderId);
  assert.equal(await mayWait(bench), false);
});

test('the room for lines is what is left, and negative when requeued lines came on top', async () => {
  const bench = new OrderServiceBench({ limits: { queuedBatchOrdersPerAccount: 1 } });
  await bench.running(testRequest(), { line: testLine() });
  assert.equal(bench.orderService.roomForLines('acct'), 1);
  await bench.waiting(testRequest(), { line: testLine({ line: 2 }) });
  bench.pods.last.end(failed);
  await bench.settle();
  assert.equal(bench.orderService.roomForLines('acct'), -1);
});

test('an order that is being admitted is in flight, not queued', async () => {
  const { bench, ticket } = await fullBench();
  bench.journal.pause();
  await bench.admit(ticket.orderId);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 1 });
});

test('the accounts share what may be queued in all: one may have as much as it leaves free', async () => {
  const bench = new OrderServiceBench({ limits: { queuedOrders: 4, queuedBatchOrders: 4 } });
  bench.journal.accounts.set('other', { balance: 10_000_000_000n, held: 0n });
  const other = { ...bench.customer, accountId: 'other' };
  for (const expected of [true, true, false]) assert.equal(await mayWait(bench), expected);
  for (const expected of [true, false]) assert.equal(await mayWait(bench, { customer: other }), expected);
  const lines = async (customer: typeof other) => {
    let taken = 0;
    while (await mayWait(bench, { customer, line: testLine({ batchId: customer.accountId, line: taken + 1 }) }))
      taken++;
    return taken;
  };
  assert.deepEqual([await lines(bench.customer), await lines(other)], [2, 1]);
});

test('an account without a queued line may queue one, however many others have', async () => {
  const bench = new OrderServiceBench({ limits: { queuedBatchOrders: 1 } });
  bench.journal.accounts.set('other', { balance: 10_000_000_000n, held: 0n });
  for (const accountId of ['acct', 'other']) {
    const customer = { ...bench.customer, accountId };
    assert.equal(await mayWait(bench, { customer, line: testLine({ batchId: accountId, line: 1 }) }), true);
    assert.equal(await mayWait(bench, { customer, line: testLine({ batchId: accountId, line: 2 }) }), false);
  }
});
