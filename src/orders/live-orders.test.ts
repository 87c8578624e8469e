/** Live orders, found by the key whose budget they count in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveOrder } from './live-order.ts';
import { LiveOrders } from './live-orders.ts';

function order(orderId: string, keyId: string | null, budgeted: boolean): LiveOrder {
  return { orderId, budgeted, row: { keyId } } as unknown as LiveOrder;
}

test('the orders of a budget are those of its key that count, as long as they live', () => {
  const orders = new LiveOrders();
  const ids = (keyId: string) => [...orders.ofBudget(keyId)].map(({ orderId }) => orderId);
  for (const one of [order('a', 'k', true), order('b', 'k', false), order('c', 'other', true), order('d', 'k', true)])
    orders.set(one.orderId, one);
  orders.set('e', order('e', null, true));
  assert.deepEqual([ids('k'), ids('other'), ids('unknown')], [['a', 'd'], ['c'], []]);
  orders.delete('a');
  orders.delete('b');
  orders.delete('never');
  assert.deepEqual(ids('k'), ['d']);
  orders.delete('d');
  assert.deepEqual(ids('k'), []);
});
