/** The reviews of every second go on after the database has failed once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderServiceBench } from '#testing/order-service-bench.ts';

const unanswered = () => Promise.reject(new Error('planted'));

test('a suspension is found when the first read of suspended accounts failed', async (t) => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting();
  bench.journal.suspend('acct');
  t.mock.method(bench.journal, 'inactiveAmong', unanswered, { times: 1 });
  await bench.clock.advance(1000);
  assert.equal(bench.row(orderId).status, 'queued');
  await bench.clock.advance(1000);
  assert.equal(bench.row(orderId).status, 'canceled');
});

test('a top-up is found when the first read of a parked account failed', async (t) => {
  const bench = new OrderServiceBench();
  bench.setBalance(1_500_000n);
  await bench.running();
  const { orderId } = await bench.waiting();
  await bench.admit(orderId);
  bench.credit(1_000_000n);
  t.mock.method(bench.journal, 'funds', unanswered, { times: 1 });
  await bench.clock.advance(1000);
  assert.equal(bench.sent('unpark').length, 0);
  await bench.clock.advance(1000);
  assert.equal(bench.sent('unpark').length, 1);
});

test('only accounts with queued orders are read', async (t) => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting();
  await bench.admit(orderId);
  const asked = t.mock.method(bench.journal, 'inactiveAmong');
  await bench.clock.advance(3000);
  assert.equal(asked.mock.callCount(), 0);
});
