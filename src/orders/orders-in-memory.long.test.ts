/** What stays in memory of orders that have ended: nothing, however long they could have waited. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import { shrinkHeap } from '#cli/serve.ts';
import { OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import type { PodPort } from './ports.ts';

const ORDERS = 20_000;
/** Those that the last steps of the test may still have on their stacks. */
const REACHABLE_MAX = 20;

/** A pod that answers at once and remembers nothing. */
const pods: PodPort = {
  execute(_request, sink) {
    queueMicrotask(() => {
      sink.events([
        { type: 'text-delta', text: 'Hi'.repeat(50) },
        { type: 'finish', reason: 'stop', stopSequence: null },
      ]);
      sink.ended({ kind: 'complete', usage: null });
    });
    return { abort: () => {} };
  },
};

test('of 20,000 detached orders that waited and ended without a watcher none is reachable', async () => {
  const bench = new OrderServiceBench({ pods: () => pods });
  const orders: WeakRef<object>[] = [];
  for (let made = 0; made < ORDERS; made++) {
    const { id, submission } = await bench.submit(testRequest({ detached: true, maxWaitS: 2_592_000 }));
    await bench.rest(id);
    const accepted = await submission;
    assert.ok(accepted.type === 'order');
    orders.push(new WeakRef(accepted.ticket));
    if (made % 3 === 0) await bench.orderService.cancel(wholeAccount('acct'), id);
    else await bench.admit(id);
  }
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
  assert.equal([...bench.journal.orders.values()].filter(({ status }) => status === 'done').length, 13_333);
  await bench.settle();
  shrinkHeap();
  const reachable = orders.filter((order) => order.deref() !== undefined).length;
  assert.ok(reachable <= REACHABLE_MAX, `${reachable} orders are reachable`);
});
