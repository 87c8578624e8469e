import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '#base/fault.ts';
import { benchListing, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import type { OrderEnd } from './order-port.ts';

const HOLD = 1_111_112n;

const keyed = (key = 'k') => testRequest({}, { idempotency: { key, fingerprint: 'f' } });

function refusal(code: FaultCode) {
  return (error: unknown) => error instanceof Fault && error.code === code;
}

function faultOf(end: OrderEnd): Fault {
  assert.notEqual(end.status, 'done');
  return end.status === 'done' ? new Fault('internal_error') : end.fault;
}

test('draining ends what waits with 503, lets what runs finish and leaves detached work queued', async () => {
  const bench = new OrderServiceBench();
  const running = await bench.running();
  const runningAttempt = bench.pods.last;
  const waiting = await bench.waiting();
  const detached = await bench.waiting(testRequest({ detached: true }));
  const drained = bench.orderService.drain(30_000);
  await bench.settle();
  assert.equal(faultOf(await waiting.outcome).status, 503);
  await assert.rejects(bench.orderService.submit(bench.customer, testRequest()), refusal('unavailable'));
  runningAttempt.finish();
  assert.equal((await running.outcome).status, 'done');
  await drained;
  assert.equal(bench.row(detached.orderId).status, 'queued');
  assert.equal(bench.clock.pending, 0);
  bench.audit();
});

test('a caller who waits for an order that outlives it is notified of the drain, and the order stays queued', async () => {
  const bench = new OrderServiceBench();
  const queued = await bench.waiting(keyed());
  const running = await bench.running(keyed('l'));
  const drained = bench.orderService.drain(30_000);
  assert.equal(faultOf(await queued.outcome).status, 503);
  await bench.clock.advance(30_000);
  await drained;
  assert.equal(faultOf(await running.outcome).status, 503);
  assert.deepEqual([bench.row(queued.orderId).status, bench.row(running.orderId).status], ['queued', 'executing']);
});

test('a request under way when the drain begins is refused or ended, and leaves nothing queued', async () => {
  const bench = new OrderServiceBench();
  const resting = await bench.submit();
  bench.journal.pause();
  await bench.rest(resting.id);
  const opening = await bench.submit();
  // Its key is looked up first.
  const idempotency = { key: 'k', fingerprint: 'f' };
  const checked = bench.orderService.submit(bench.customer, testRequest({}, { idempotency }));
  const drained = bench.orderService.drain(30_000);
  await assert.rejects(checked, refusal('unavailable'));
  await bench.rest(opening.id);
  bench.journal.resume();
  await bench.settle();
  for (const submission of [resting.submission, opening.submission]) {
    const taken = await submission;
    assert.equal(taken.type, 'order');
    if (taken.type !== 'order') continue;
    const end = await new Promise<OrderEnd>((resolve) => taken.ticket.watch({ events: () => {}, ended: resolve }));
    assert.equal(faultOf(end).status, 503);
    assert.equal(bench.row(taken.ticket.orderId).status, 'canceled');
  }
  await drained;
});

test('an order parked while the gateway drains is turned away', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(HOLD + HOLD / 2n);
  const first = await bench.running();
  const firstAttempt = bench.pods.last;
  const second = await bench.submit();
  bench.journal.pause();
  await bench.admit(second.id);
  const drained = bench.orderService.drain(30_000);
  bench.journal.resume();
  await bench.settle();
  const taken = await second.submission;
  assert.equal(bench.row(second.id).status, 'canceled');
  assert.equal(taken.type, 'order');
  firstAttempt.finish();
  await first.outcome;
  await drained;
  bench.audit();
});

test('an order that still runs at the drain limit ends uncharged', async () => {
  const bench = new OrderServiceBench();
  const running = await bench.running();
  bench.pods.last.say('half');
  const drained = bench.orderService.drain(30_000);
  await bench.clock.advance(30_000);
  await drained;
  assert.equal(faultOf(await running.outcome).status, 503);
  assert.equal(bench.row(running.orderId).status, 'error');
  bench.audit();
});

test('a recovered order rests at its old place and runs from its kept input', async () => {
  const before = new OrderServiceBench();
  const ticket = await before.waiting(testRequest({ detached: true }));
  const bench = new OrderServiceBench();
  const row = before.row(ticket.orderId);
  bench.journal.orders.set(row.id, row);
  bench.journal.bodies.set(row.id, { messages: [{ role: 'user', content: 'kept' }] });
  bench.orderService.recover([row]);
  assert.equal(bench.sent('rest')[0]?.restedSeq, row.restedSeq);
  await bench.admit(row.id);
  assert.deepEqual(bench.pods.last.request.generation.body, { messages: [{ role: 'user', content: 'kept' }] });
  bench.pods.last.finish();
  await bench.settle();
  assert.equal(bench.row(row.id).status, 'done');
});

test('a recovered order whose model is no longer sold, or whose input is lost, ends uncharged', async () => {
  const before = new OrderServiceBench();
  const ticket = await before.waiting(testRequest({ detached: true }));
  const row = before.row(ticket.orderId);
  const listings = [benchListing(), benchListing({ id: 'soon', preview: true })];
  const bench = new OrderServiceBench({ listings });
  const unsold = { ...row, id: 'unsold', model: 'gone' };
  const preview = { ...row, id: 'preview', model: 'soon' };
  for (const kept of [unsold, preview, row]) bench.journal.orders.set(kept.id, kept);
  bench.orderService.recover([unsold, preview, row]);
  await bench.settle();
  assert.equal(bench.row('preview').status, 'error');
  assert.deepEqual([bench.row('unsold').status, bench.row('unsold').error], ['error', 'model_not_found']);
  await bench.admit(row.id);
  await bench.settle();
  assert.deepEqual([bench.row(row.id).status, bench.row(row.id).error], ['error', 'gateway_restarted']);
});
