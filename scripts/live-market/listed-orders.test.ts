import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraderOrder } from '#simulations/floor.ts';
import { nothingMeasured } from '#simulations/measures.ts';
import { type ListedOrder, measure } from './listed-orders.ts';

const period = { beginMs: 10_000, endMs: 20_000 };

/** An order of a lock at a bid of 0.5 USD that ran from second 12 to 15 and paid 9 USD, which is one slot and hour. */
const RAN: ListedOrder = {
  id: 'o1',
  status: 'done',
  bid: 0.5,
  price_lock: true,
  created_at: at(11),
  admitted_at: at(12),
  finished_at: at(15),
  level_at_execution: 0.4,
  usage: { charged_usd: 9 },
};
const MISSED: Partial<ListedOrder> = { status: 'expired', admitted_at: null, finished_at: at(15), usage: null };

function at(second: number): string {
  return new Date(second * 1000).toISOString();
}

function measured(order: Partial<ListedOrder>, { limit = 0.6, byAttacker = false } = {}) {
  const wish: TraderOrder = { account: 'account 1', limit: limit * 1e9, lock: true, runsMs: 3000, patienceMs: 1 };
  const measures = nothingMeasured();
  const held = measure(measures, [{ ...RAN, ...order }], { period, wishes: new Map([['o1', wish]]), byAttacker });
  return { ...measures, held };
}

test('an order that started in the period counts with what it paid and held', () => {
  const { held, arrived, started, waitedMs, revenue, othersSlotMs, busySlotMs, lockPrices } = measured({});
  assert.deepEqual({ held, arrived, started, waitedMs }, { held: [3000], arrived: 1, started: 1, waitedMs: 1000 });
  assert.deepEqual({ revenue, othersSlotMs, busySlotMs }, { revenue: 1, othersSlotMs: 3000, busySlotMs: 3000 });
  assert.equal(lockPrices, 0.4e9);
});

test('only its slot time within the period counts for one that started before', () => {
  const { held, started, revenue, busySlotMs } = measured({ created_at: at(7), admitted_at: at(8) });
  assert.deepEqual([held, started, revenue, busySlotMs], [[], 0, 0, 5000]);
});

test('one that started at the end of the period or later does not count', () => {
  const { held, arrived, busySlotMs } = measured({ admitted_at: at(20), finished_at: at(21) });
  assert.deepEqual([held, arrived, busySlotMs], [[], 1, 0]);
});

test('locks count when their limit was above the quote', () => {
  const rates = (of: ReturnType<typeof measured>) => [of.locksStarted, of.locksMissed, of.locksServed];
  assert.deepEqual(rates(measured({})), [1, 0, 1]);
  assert.deepEqual(rates(measured({}, { limit: 0.5 })), [0, 0, 1]);
  assert.deepEqual(rates(measured(MISSED)), [0, 1, 0]);
  assert.deepEqual(rates(measured(MISSED, { limit: 0.5 })), [0, 0, 0]);
  assert.deepEqual(rates(measured({ ...MISSED, price_lock: false })), [0, 0, 0]);
  assert.deepEqual(rates(measured({ ...MISSED, finished_at: at(21) })), [0, 0, 0]);
});

test('of an attacker only cost and slot time count', () => {
  const { attackCost, attackSlotMs, busySlotMs, arrived, revenue, locksStarted } = measured({}, { byAttacker: true });
  assert.deepEqual([attackCost, attackSlotMs, busySlotMs], [1, 3000, 3000]);
  assert.deepEqual([arrived, revenue, locksStarted], [0, 0, 0]);
});
