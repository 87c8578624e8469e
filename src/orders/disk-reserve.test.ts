/** What orders do while the disk is nearly full. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESULTS_GATHERING_MS } from '#results/keeper.ts';
import { LARGE_TEXT, OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';

const idempotency = { key: 'k', fingerprint: 'f' };

test('what must be stored is refused, and the rest runs', async () => {
  const bench = new OrderServiceBench();
  bench.disk.low = true;
  const refused = { code: 'unavailable', retryAfterS: 30 };
  const { orderService, customer } = bench;
  await assert.rejects(orderService.submit(customer, testRequest({ detached: true })), refused);
  await assert.rejects(orderService.submit(customer, testRequest({}, { idempotency })), refused);
  await assert.rejects(orderService.submit(customer, testRequest(), testLine()), refused);
  const { outcome } = await bench.running();
  bench.pods.last.say('Hi').finish();
  assert.equal((await outcome).status, 'done');
  await bench.running(testRequest({ detached: true, store: false }));
});

test('a result that was promised to nobody is stored only if it fits its settlement', async () => {
  for (const [text, state] of [
    ['Hi', 'stored'],
    [LARGE_TEXT, 'deleted'],
  ] as const) {
    const bench = new OrderServiceBench();
    bench.disk.low = true;
    const { orderId, outcome } = await bench.running();
    bench.pods.last.say(text).finish();
    await outcome;
    await bench.clock.advance(RESULTS_GATHERING_MS);
    assert.equal(bench.row(orderId).resultState, state);
    assert.equal(bench.results.blobs.size, 0);
  }
});

test('a result that was promised before is stored', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running(testRequest({ detached: true }));
  bench.disk.low = true;
  bench.pods.last.say(LARGE_TEXT).finish();
  await outcome;
  assert.equal(bench.row(orderId).resultState, 'stored');
});
