import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { compareKeys, Keys } from './keys.ts';

/** The findings about keys that name these orders, where these orders were charged. */
async function findings(named: readonly (string | null)[], charged: readonly string[]): Promise<string[]> {
  const data = charged.map((order_id) => ({ order_id, charged_usd: 2 }));
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ balance_usd: 1, total_charged_usd: 1, next_cursor: null, data }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const orders = new Map(named.map((order, index) => [`key-${index}`, order]));
    return await compareKeys({ url, apiKey: 'key' }, orders);
  } finally {
    server.close();
  }
}

test('keys whose orders were each charged once have no finding', async () => {
  assert.deepEqual(await findings(['a', 'b'], ['b', 'a']), []);
});

test('a charge that no key names, a second one, and an order without a charge are found', async () => {
  assert.deepEqual(await findings(['a', 'b'], ['a', 'c', 'a']), [
    'order c: charged, and no key names it',
    'order a: charged, and no key names it',
    'order b: named by a key, and not charged',
  ]);
});

test('a key is repeated while its result is pending or nobody can answer, and what it names then counts', async () => {
  const answers = [null, 503, 429, 200, 503, 200];
  const server = createServer((request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify({ orders: { queued: 0, executing: 0 } }));
    const status = answers.shift();
    if (!status) return request.socket.destroy();
    return response.writeHead(status, status === 200 ? { 'x-service-order-id': 'a' } : {}).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const owner = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'key' };
  try {
    const keys = new Keys(seededRandom(1));
    await keys.load(owner, 1).ended;
    assert.deepEqual([...keys.orders.values()], [null]);
    assert.deepEqual(await keys.settle(owner), []);
    assert.deepEqual([[...keys.orders.values()], answers], [['a'], []]);
  } finally {
    server.close();
  }
});
