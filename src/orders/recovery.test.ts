/** Orders that an earlier process left queued: what they keep, and which can no longer run. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import { tariffOf } from '#ledger/tariff.ts';
import { benchListing, OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';
import type { OrderRow } from './order.ts';
import type { BatchLine } from './order-port.ts';
import type { InferenceRequest } from './request.ts';

/** A bench that starts with an order left queued by another process, with some fields of its row changed. */
async function recovered({ request = testRequest({ detached: true }), ...given }: Given = {}) {
  const before = new OrderServiceBench();
  const { orderId } = await before.waiting(request, given.line ? { line: given.line } : {});
  const bench = new OrderServiceBench(given.options);
  const row = { ...before.row(orderId), ...given.change };
  bench.journal.orders.set(orderId, row);
  bench.journal.bodies.set(orderId, { messages: [] });
  bench.orderService.recover([row]);
  await bench.settle();
  return { bench, orderId };
}

interface Given {
  readonly request?: InferenceRequest;
  readonly line?: BatchLine;
  readonly change?: Partial<OrderRow>;
  readonly options?: ConstructorParameters<typeof OrderServiceBench>[0];
}

const dearer = tariffOf('market', { cached: '0.1', uncached: '1', output: '8' });
const withDearer = { listings: [benchListing({ tariff: dearer })] };

test('an order that had run before is chosen for its next attempt, at no more than its first price', async () => {
  const { bench, orderId } = await recovered({ change: { attempt: 2, firstPrice: 7e8 } });
  assert.equal(bench.sent('rest')[0]?.attempt, 3);
  await bench.admit(orderId, { attempt: 3, level: 4e9 });
  assert.equal(bench.row(orderId).price, 7e8);
});

test('pod failures before the restart count', async () => {
  const { bench, orderId } = await recovered({ change: { failures: 3 } });
  await bench.admit(orderId);
  bench.pods.last.end({ kind: 'failed', reason: 'planted' });
  await bench.settle();
  assert.deepEqual([bench.row(orderId).status, bench.row(orderId).error], ['error', 'backend_error']);
});

test('an order rests at its latest price', async () => {
  const { bench } = await recovered({ change: { bid: 8e9, limit: 8e9 } });
  assert.equal(bench.sent('rest')[0]?.bid, 8e9);
});

test('a lock is still a lock after a restart', async () => {
  const { bench } = await recovered({ request: testRequest({ detached: true, priceLock: true }) });
  assert.deepEqual([bench.sent('rest')[0]?.bid, bench.sent('rest')[0]?.lockLimit], [1e9, 5e9]);
});

test('an order that should have expired while no gateway ran expires', async () => {
  const { bench, orderId } = await recovered({ change: { expiresAtMs: 1 } });
  await bench.clock.advance(0);
  assert.deepEqual([bench.row(orderId).status, bench.row(orderId).error], ['expired', 'order_expired']);
});

test('an order keeps the prices it was submitted with when the listing has others now', async () => {
  const { bench, orderId } = await recovered({ options: withDearer });
  await bench.admit(orderId);
  assert.equal(bench.row(orderId).hold, 1_111_112n);
});

test('a line whose listing has other prices now ends uncharged', async () => {
  const { bench, orderId } = await recovered({ options: withDearer, line: testLine() });
  assert.deepEqual([bench.row(orderId).status, bench.row(orderId).error], ['error', 'prices_changed']);
  assert.equal(bench.sent('rest').length, 0);
});

test('a line whose listing has the same prices is queued again', async () => {
  const { bench } = await recovered({ line: testLine() });
  assert.equal(bench.sent('rest').length, 1);
});

test('orders of a model that is deprecated since still run', async () => {
  const { bench } = await recovered({ options: { listings: [benchListing({ deprecated: true })] } });
  assert.equal(bench.sent('rest').length, 1);
});

test('orders that came back are counted, above the limit too, and can be canceled', async () => {
  const { bench, orderId } = await recovered({ options: { limits: { queuedOrdersPerAccount: 0 } } });
  assert.deepEqual(bench.orderService.counts(), { queued: 1, inflight: 0 });
  await bench.orderService.cancel(wholeAccount('acct'), orderId);
  assert.equal(bench.row(orderId).status, 'canceled');
});

test('an order that came back can be repriced', async () => {
  const { bench, orderId } = await recovered();
  const repriced = bench.orderService.reprice(wholeAccount('acct'), [orderId], 6e9);
  await bench.settle();
  await bench.emit({ type: 'repriced', model: 'tide', seq: 50, order: orderId, bid: 6e9, restedSeq: 50 });
  assert.deepEqual(await repriced, [{ orderId, refusal: null }]);
});
