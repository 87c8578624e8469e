import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketAccount, MarketOrder } from '../book/market-order.ts';
import { RecentArrivals } from './clearing.ts';
import { DemandCurve } from './demand-curve.ts';

/** Arrivals at a curve of demand that holds nothing else. */
function opened() {
  const demand = new DemandCurve(1e12);
  const arrivals = new RecentArrivals(demand);
  let seq = 0;
  const arrive = (price: number, claim: number, nowMs: number) => {
    const rest = { type: 'rest', model: 'm', order: `${seq}`, account: 'a', bid: price, attempt: 1 } as const;
    const free = { lockLimit: null, restedSeq: null, avoidPod: null, house: false };
    const order = Object.assign(new MarketOrder({ ...rest, ...free }, new MarketAccount('a'), seq++), { claim });
    arrivals.arrives(order, price, nowMs);
    return order;
  };
  return { demand, arrivals, arrive };
}

test('an arrival counts for ten seconds, at its bid and with its claim', () => {
  const { demand, arrivals, arrive } = opened();
  const order = arrive(8, 0.5, 0);
  arrive(6, 1, 4000);
  assert.deepEqual([demand.total, demand.priceAt(0)], [1.5, 8]);
  assert.equal(arrivals.dueBy(9999), null);
  assert.equal(arrivals.dueBy(20_000), 10_000);
  arrivals.advanceTo(10_000);
  assert.deepEqual([demand.total, demand.priceAt(0)], [1, 6]);
  arrivals.arrives(order, 9, 12_000);
  assert.deepEqual([demand.total, demand.priceAt(0)], [1, 6]);
  arrivals.advanceTo(14_000);
  assert.equal(demand.total, 0);
});

test('an order that ends counts as what it claimed, until its ten seconds are over', () => {
  const { demand, arrivals, arrive } = opened();
  const order = arrive(8, 1, 0);
  arrivals.ends(order, 0.25);
  assert.equal(demand.total, 0.25);
  arrivals.ends(order, 1);
  assert.equal(demand.total, 0.25);
  arrivals.ends(arrive(9, 1, 0), 0);
  assert.equal(demand.total, 0.25);
  arrivals.advanceTo(10_000);
  assert.equal(demand.total, 0);
});

test('an order that counts at a new price is the same arrival there, and no longer at the old one', () => {
  const { demand, arrivals, arrive } = opened();
  const order = arrive(8, 1, 0);
  arrivals.arrives(order, 20, 6000);
  assert.deepEqual([demand.total, demand.priceAt(0)], [1, 20]);
  arrivals.advanceTo(10_000);
  assert.deepEqual([demand.total, arrivals.dueBy(20_000)], [0, null]);
});

test('an order that goes away comes back as the arrival that it was', () => {
  const { demand, arrivals, arrive } = opened();
  const order = arrive(8, 1, 0);
  arrivals.goesAway(order);
  arrivals.goesAway(order);
  assert.equal(demand.total, 0);
  arrivals.arrives(order, 7, 6000);
  assert.deepEqual([demand.total, demand.priceAt(0)], [1, 7]);
  arrivals.goesAway(order);
  arrivals.ends(order, 0.5);
  assert.equal(demand.total, 0.5);
  arrivals.advanceTo(10_000);
  arrivals.goesAway(arrive(3, 1, 10_000));
  arrivals.advanceTo(20_000);
  assert.equal(demand.total, 0);
});

test('after the clock stepped back, what would count for too long counts no more', () => {
  const { demand, arrivals, arrive } = opened();
  arrive(8, 1, 60_000);
  assert.equal(arrivals.dueBy(1000), 1000);
  arrivals.advanceTo(1000);
  assert.equal(demand.total, 0);
});

test('thousands of arrivals leave nothing behind', () => {
  const { demand, arrivals, arrive } = opened();
  for (let at = 0; at < 5000; at++) {
    arrivals.advanceTo(at);
    arrive(1 + (at % 7), 0.3, at);
  }
  arrivals.advanceTo(14_998);
  assert.ok(demand.total > 0 && demand.total < 0.31);
  arrivals.advanceTo(14_999);
  assert.equal(demand.total, 0);
});
