import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import type { JsonReply } from '#contract/reply.ts';
import type { RepriceCode } from '#orders/order-port.ts';
import { testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { repriceHandlers } from './orders.ts';

async function reprice(body: { ids: string[]; price_limit: number }, refusals: Record<string, RepriceCode> = {}) {
  const asked: unknown[] = [];
  const { repriceOrders } = repriceHandlers({
    reprice: async (reach, orderIds, limit) => {
      asked.push(reach, orderIds, limit);
      return orderIds.map((orderId) => ({ orderId, refusal: refusals[orderId] ?? null }));
    },
  });
  const { json } = (await repriceOrders(testCall('repriceOrders', { body }))) as JsonReply;
  return { json: conforming('repriceOrders 200', json), asked };
}

test('each order has its outcome, and the changed ones are counted', async () => {
  const { json } = await reprice({ ids: ['a', 'b', 'c'], price_limit: 0.5 }, { b: 'too_large' });
  const reason = 'The balance does not cover the most that the order could cost at this price.';
  assert.deepEqual(json, {
    object: 'list',
    price_limit: 0.5,
    changed: 2,
    data: [
      { id: 'a', changed: true, code: null, reason: null },
      { id: 'b', changed: false, code: 'too_large', reason },
      { id: 'c', changed: true, code: null, reason: null },
    ],
  });
});

test('an id given twice, in upper or lower case, is one order', async () => {
  const { asked } = await reprice({ ids: ['B', 'a', 'b', 'A'], price_limit: 1 });
  assert.deepEqual(asked, [wholeAccount('acc_1'), ['b', 'a'], 1_000_000_000]);
});

test('the limit is rounded down to whole nano-dollars, and shown as rounded', async () => {
  const { json, asked } = await reprice({ ids: ['a'], price_limit: 0.1234567899 });
  assert.equal(asked[2], 123_456_789);
  assert.equal((json as { price_limit: number }).price_limit, 0.123456789);
});
