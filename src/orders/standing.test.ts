import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';
import { reviewStanding } from './reviews.ts';

test('within a second of a suspension what waits is canceled uncharged, and what runs is settled', async () => {
  const bench = new OrderServiceBench();
  const [waiting, detached, running] = [
    await bench.waiting(),
    await bench.waiting(testRequest({ detached: true })),
    await bench.running(),
  ];
  bench.journal.suspend('acct');
  await bench.clock.advance(1000);
  const end = await waiting.outcome;
  assert.ok(end.status === 'canceled' && end.fault.code === 'order_canceled');
  for (const { orderId } of [waiting, detached]) {
    const { status, error, errorMessage } = bench.row(orderId);
    assert.deepEqual([status, error], ['canceled', 'account_suspended']);
    assert.match(errorMessage ?? '', /suspended/);
  }
  assert.equal(bench.sent('withdraw').length, 2);
  bench.pods.last.say('Hi').finish({ promptTokens: 10, cachedTokens: 4, outputTokens: 5 });
  assert.equal((await running.outcome).status, 'done');
  bench.audit();
});

test('an order that comes back to the queue of a suspended account is canceled too', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  bench.journal.suspend('acct');
  await bench.clock.advance(1000);
  assert.equal(bench.row(orderId).status, 'executing');
  bench.pods.last.end({ kind: 'failed', reason: 'planted' });
  await bench.clock.advance(1000);
  assert.equal((await outcome).status, 'canceled');
});

test('a line of a suspended account is left to its batch, which cancels it', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting(testRequest(), { line: testLine() });
  bench.journal.suspend('acct');
  await bench.clock.advance(5000);
  assert.equal(bench.row(orderId).status, 'queued');
});

test('orders of active accounts wait on', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting();
  bench.journal.suspend('another');
  await bench.clock.advance(5000);
  assert.equal(bench.row(orderId).status, 'queued');
});

test('accounts are read some at a time, and none when no order waits', async () => {
  const asked: number[] = [];
  const standing = {
    inactiveAmong: async (accountIds: readonly string[]) => {
      asked.push(accountIds.length);
      return [];
    },
  };
  const review = (count: number) =>
    reviewStanding({
      standing,
      waitingAccounts: () => Array.from({ length: count }, (_, index) => `${index}`),
      queuedOf: () => assert.fail('nobody is suspended'),
      cancel: () => {},
    });
  await review(0);
  await review(1234);
  assert.deepEqual(asked, [500, 500, 234]);
});
