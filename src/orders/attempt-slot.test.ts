/** Slots of pods that go from one order to the next: no pod runs more than it has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalExchange } from '#market/exchange/local-exchange.ts';
import { someQuotes } from '#testing/listings.ts';
import { benchListing, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';

/** Two pods of one slot behind the exchange of the product, and a journal that commits later than they are given away. */
function twoPods(): OrderServiceBench {
  const bench = new OrderServiceBench({
    exchange(clock) {
      const listings = [benchListing({ floor: 2e8 })];
      const exchange = new LocalExchange({
        listings,
        clock,
        levelTimeConstantMs: 20_000,
        recovered: [],
        ...someQuotes(),
      });
      for (const pod of ['pod-1', 'pod-2'])
        exchange.send({ type: 'capacity', model: 'tide', pod, slots: 1, healthy: true });
      return exchange;
    },
  });
  bench.journal.commitAt = setImmediate;
  return bench;
}

/** What runs, as `pod:attempt`. */
function running({ pods }: OrderServiceBench): string[] {
  return pods.attempts.flatMap(({ ended, request }) => (ended ? [] : [`${request.pod}:${request.attempt}`]));
}

test('an order that is tried on another pod keeps that slot when its first attempt is written as failed', async () => {
  const bench = twoPods();
  for (let made = 0; made < 3; made++) {
    bench.orderService.submit(bench.customer, testRequest()).catch(() => {});
    await bench.settle();
    // The second order waits until the first has both pods to choose from.
    if (made > 0) continue;
    assert.deepEqual(running(bench), ['pod-1:1']);
    bench.pods.last.end({ kind: 'failed', reason: 'planted' });
  }
  await bench.settle();
  await bench.settle();
  assert.deepEqual(running(bench), ['pod-2:2', 'pod-1:1']);
  assert.deepEqual(bench.orderService.counts(), { queued: 1, inflight: 2 });
});
