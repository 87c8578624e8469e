import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client, OrderOutcome } from './client.ts';
import { keyedOrders } from './keyed-orders.ts';
import type { Lane } from './lane.ts';
import { Ledger } from './ledger.ts';
import { drawRequest } from './requests.ts';

const none = { kind: 'answer', status: 0, code: null, orderId: null, receipt: null } as const;
const broken: OrderOutcome = { ...none, kind: 'broken' };
const unavailable: OrderOutcome = { ...none, status: 503, code: 'unavailable' };
const pending: OrderOutcome = { ...none, status: 429, code: 'result_pending' };
const expired: OrderOutcome = { ...none, status: 408, code: 'order_expired' };
const charged = (orderId: string): OrderOutcome => {
  return { ...none, status: 200, orderId, receipt: { orderId, chargedUsd: 1 } };
};

/** A lane whose requests come to these outcomes, one after the other; chance never does anything special. */
function laneOf(outcomes: OrderOutcome[]): Lane {
  let draws = 0;
  const random = { next: () => 0.99 + draws++ * 1e-6 };
  const order = async () => outcomes.shift() ?? assert.fail('one request too many');
  return {
    ...{ client: { order } as unknown as Client, ledger: new Ledger(null), seed: 1, isOver: () => false },
    ...{ name: 'keyed', random, caller: { account: 'kept', apiKey: 'sk' } },
    pause: async () => {},
    draw: (wishes) => drawRequest(random, wishes),
  };
}

test('a key is repeated while its result is pending or nobody can answer, and what it names then counts', async () => {
  const outcomes = [broken, unavailable, pending, charged('a')];
  const lane = laneOf(outcomes);
  await keyedOrders().send(lane);
  assert.deepEqual([outcomes, [...lane.ledger.keys.values()]], [[], [new Set(['a'])]]);
});

test('a key whose orders are refused again and again is given up, and names none', async () => {
  const lane = laneOf([expired, expired, expired, expired]);
  await keyedOrders().send(lane);
  assert.equal(lane.ledger.keys.size, 0);
});

test('every charged key is repeated once, and must name the same order', async () => {
  const outcomes = [charged('a'), charged('a'), charged('b')];
  const lane = laneOf(outcomes);
  const keys = keyedOrders();
  await keys.send(lane);
  await keys.repeatAll(lane);
  await keys.repeatAll(lane);
  assert.deepEqual(lane.ledger.findings, []);
  outcomes.unshift(charged('c'));
  await keys.send(lane);
  await keys.repeatAll(lane);
  assert.match(
    String(lane.ledger.findings),
    /^minute \S+, life 0: the key kept \w+ was answered by the orders c and b$/,
  );
});
