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

test('a top-up is found when the first read of an account failed', async (t) => {
  const bench = new OrderServiceBench();
  bench.setBalance(1_500_000n);
  await bench.running();
  const { orderId } = await bench.waiting();
  await bench.admit(orderId);
  bench.credit(1_000_000n);
  t.mock.method(bench.journal, 'funds', unanswered, { times: 1 });
  await bench.clock.advance(1000);
  const rests = bench.sent('rest').length;
  await bench.clock.advance(1000);
  assert.equal(bench.sent('rest').length, rests + 1);
});

test('only accounts with queued orders are read', async (t) => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting();
  await bench.admit(orderId);
  const asked = t.mock.method(bench.journal, 'inactiveAmong');
  await bench.clock.advance(3000);
  assert.equal(asked.mock.callCount(), 0);
});

test('a review of the money does not begin while the one before still reads', async (t) => {
  const bench = new OrderServiceBench();
  bench.setBalance(1_500_000n);
  await bench.running();
  const { orderId } = await bench.waiting();
  await bench.admit(orderId);
  const slow = t.mock.method(bench.journal, 'funds', () => new Promise<never>(() => {}));
  await bench.clock.advance(30_000);
  assert.equal(slow.mock.callCount(), 1);
});

test('a review of suspended accounts does not begin while the one before still reads', async (t) => {
  const bench = new OrderServiceBench();
  await bench.waiting();
  const slow = t.mock.method(bench.journal, 'inactiveAmong', () => new Promise<never>(() => {}));
  await bench.clock.advance(30_000);
  assert.equal(slow.mock.callCount(), 1);
});
