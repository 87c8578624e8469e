import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { harms, planRounds } from './plan.ts';

const plan = (seed: number, rounds: number) => planRounds({ rounds, gateways: 3, random: seededRandom(seed) });

test('every kind of harm happens once in as many rounds as there are kinds, in another order with another seed', () => {
  const orders = [1, 2, 3].map((seed) => plan(seed, 2 * harms.length).map(({ harm }) => harm));
  for (const order of orders) {
    assert.deepEqual(order.slice(0, harms.length).sort(), [...harms].sort());
    assert.deepEqual(order.slice(harms.length).sort(), [...harms].sort());
  }
  assert.equal(new Set(orders.map(String)).size, orders.length);
});

test('a seed names the same rounds, however many there are', () => {
  assert.deepEqual(plan(5, 30).slice(0, 10), plan(5, 10));
  for (const { victim } of plan(5, 100)) assert.ok([0, 1, 2].includes(victim));
});

test('a gateway without others is killed in every round, and started again at once', () => {
  for (const { harm, victim, forMs } of planRounds({ rounds: 10, gateways: 1, random: seededRandom(1) }))
    assert.deepEqual([harm, victim, forMs], ['kill', 0, 0]);
});
