/** The life of an Idempotency-Key, whether or not anything of its order is stored. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '#base/fault.ts';
import { wholeAccount } from '#base/reach.ts';
import { DAY_MS } from '#base/time.ts';
import { OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';

function refusal(code: FaultCode) {
  return (error: unknown) => error instanceof Fault && error.code === code;
}

const keyed = (fingerprint = 'f', key = 'k', wishes = {}) => testRequest(wishes, { idempotency: { key, fingerprint } });
const unkept = (fingerprint = 'f') => keyed(fingerprint, 'k', { store: false });

test('a hundred concurrent requests with one key are one order and one charge', async () => {
  const bench = new OrderServiceBench();
  const submissions = await bench.submitMany(100, keyed());
  for (const { id } of submissions) await bench.admit(id);
  const outcomes = await Promise.allSettled(submissions.map(({ submission }) => submission));
  const taken = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  const refused = outcomes.filter(
    (outcome) => outcome.status === 'rejected' && refusal('result_pending')(outcome.reason),
  );
  assert.deepEqual([taken.length, refused.length], [1, 99]);
  bench.pods.last.say('once').finish();
  await bench.settle();
  assert.equal(bench.journal.settled.size, 1);
  const replay = await bench.orderService.submit(bench.customer, keyed());
  assert.equal(replay.type === 'replay' && replay.result.answer.generation.text, 'once');
  bench.audit();
});

test('a key used for another request, or whose result is gone, is refused', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running(keyed());
  await assert.rejects(bench.orderService.submit(bench.customer, keyed('other')), refusal('idempotency_error'));
  await assert.rejects(bench.orderService.submit(bench.customer, keyed()), refusal('result_pending'));
  ticket.leave();
  bench.pods.last.finish();
  await bench.settle();
  bench.journal.results.clear();
  await assert.rejects(bench.orderService.submit(bench.customer, keyed()), refusal('result_unavailable'));
});

test('a key counts where nothing is stored: one order, and a repeat of the finished one is refused with its id', async () => {
  for (const wishes of [{ store: false }, { retentionDays: 0 }]) {
    const bench = new OrderServiceBench();
    const submissions = await bench.submitMany(20, keyed('f', 'k', wishes));
    for (const { id } of submissions) await bench.admit(id);
    const outcomes = await Promise.allSettled(submissions.map(({ submission }) => submission));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    const repeat = (fingerprint: string) => bench.orderService.submit(bench.customer, keyed(fingerprint, 'k', wishes));
    await assert.rejects(repeat('other'), refusal('idempotency_error'));
    await assert.rejects(repeat('f'), refusal('result_pending'));
    bench.pods.last.say('once').finish();
    await bench.settle();
    const [orderId = ''] = bench.journal.settled.keys();
    await assert.rejects(repeat('f'), (error) => refusal('result_unavailable')(error) && namesOrder(error, orderId));
    await assert.rejects(repeat('other'), refusal('idempotency_error'));
    assert.equal(bench.journal.settled.size, 1);
    assert.equal(bench.journal.bodies.size + bench.journal.results.size + bench.results.blobs.size, 0);
    bench.audit();
  }
});

function namesOrder(error: unknown, orderId: string): boolean {
  return error instanceof Fault && error.orderId === orderId && error.message.includes(orderId);
}

test('a key lives a day longer than its order may wait, where nothing is stored', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.waiting(unkept());
  const [key] = bench.journal.keys.values();
  assert.deepEqual([key?.orderId, key?.expiresAtMs], [ticket.orderId, ticket.expiresAtMs + DAY_MS]);
});

test('a keyed order that stores nothing ends with its connection, and keeps its key only if it was charged', async () => {
  const bench = new OrderServiceBench();
  const waiting = await bench.waiting(unkept());
  waiting.leave();
  await bench.settle();
  assert.equal(bench.row(waiting.orderId).error, 'client_closed');
  const running = await bench.running(unkept());
  bench.pods.last.say('half');
  running.leave();
  await bench.settle();
  assert.equal(bench.row(running.orderId).status, 'done');
  await assert.rejects(bench.orderService.submit(bench.customer, unkept()), refusal('result_unavailable'));
});

test('an order that ended uncharged frees its key', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.waiting(keyed());
  await bench.orderService.cancel(wholeAccount('acct'), ticket.orderId);
  const again = await bench.running(keyed());
  assert.notEqual(again.orderId, ticket.orderId);
});

test('a detached order with a key is acknowledged again with the same id', async () => {
  const bench = new OrderServiceBench();
  const request = testRequest({ detached: true }, { idempotency: { key: 'k', fingerprint: 'f' } });
  const ticket = await bench.running(request);
  const again = await bench.orderService.submit(bench.customer, request);
  assert.equal(again.type === 'accepted-before' && again.order.orderId, ticket.orderId);
});

test('a detached order that stores nothing is acknowledged again in the same words, also when it is done', async () => {
  const bench = new OrderServiceBench();
  const request = keyed('f', 'k', { detached: true, store: false });
  const { orderId } = await bench.running(request);
  const repeat = () => bench.orderService.submit(bench.customer, request);
  const early = await repeat();
  bench.pods.last.finish();
  await bench.settle();
  assert.equal(bench.row(orderId).status, 'done');
  const late = await repeat();
  assert.ok(early.type === 'accepted-before' && !early.order.resultStored);
  assert.equal(early.order.orderId, orderId);
  assert.deepEqual(late, early);
});
