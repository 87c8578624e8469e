/** Live orders, found by their account. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveOrder } from './live-order.ts';
import { LiveOrders } from './live-orders.ts';

function order(orderId: string, accountId: string): LiveOrder {
  return { orderId, row: { accountId } } as unknown as LiveOrder;
}

test('the orders of an account are found as long as they live', () => {
  const orders = new LiveOrders();
  const ids = (accountId: string) => [...orders.allOf(accountId)].map(({ orderId }) => orderId);
  for (const one of [order('a', 'ann'), order('b', 'ben'), order('c', 'ann')]) orders.set(one.orderId, one);
  assert.deepEqual([ids('ann'), ids('ben'), ids('unknown')], [['a', 'c'], ['b'], []]);
  orders.delete('a');
  orders.delete('never');
  assert.deepEqual(ids('ann'), ['c']);
  orders.delete('c');
  assert.deepEqual(ids('ann'), []);
});
