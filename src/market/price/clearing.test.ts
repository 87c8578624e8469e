import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketAccount, MarketOrder } from '../book/market-order.ts';
import { Clearing } from './clearing.ts';

const settings = { bounds: { floor: 0, ceiling: 1e12 }, timeConstantMs: 1 };

/** A market with `slots` slots, and its clearing price. With a time constant of 1 ms, one tick reaches it. */
class ClearingBench {
  readonly clearing = new Clearing({ settings, start: 1e11, pace: null, nowMs: 0 });
  #seq = 0;
  nowMs = 0;

  constructor(slots: number) {
    this.clearing.setSlots(slots, 0);
  }

  order(bid: number, claim = 1): MarketOrder {
    const rest = { type: 'rest', model: 'm', order: `${this.#seq}`, account: 'a', bid, attempt: 1 } as const;
    const free = { lockLimit: null, restedSeq: null, avoidPod: null, house: false };
    const order = new MarketOrder({ ...rest, ...free }, new MarketAccount('a'), this.#seq++);
    return Object.assign(order, { claim, arrival: null });
  }

  rests(...bids: number[]): this {
    for (const bid of bids) this.clearing.counts(this.order(bid), bid);
    return this;
  }

  runs(...bids: number[]): this {
    for (const bid of bids) this.clearing.starts(this.order(bid), this.nowMs);
    return this;
  }

  clears(): number {
    this.nowMs += 1000;
    this.clearing.level.tick(this.nowMs);
    return this.clearing.level.published;
  }
}

// Two starts on two slots are a rate of at most a thirtieth of a start a second: no order starts within ten seconds.
test('the target is the first bid beyond the slots, among executing and waiting orders', () => {
  assert.equal(new ClearingBench(2).runs(9, 5).rests(8, 7, 1).clears(), 7);
  assert.equal(new ClearingBench(2).runs(3, 2).rests(9, 8, 7).clears(), 7);
});

test('the target is 0 when there are no more bids than slots', () => {
  assert.equal(new ClearingBench(3).runs(9, 8).rests(7).clears(), 0);
});

test('orders that start soon at the current pace are not marginal: as far ahead as arrivals were seen', () => {
  const bench = new ClearingBench(1);
  bench.rests(9, 8, 7, 6, 5, 4);
  assert.equal(bench.clears(), 8);
  // Ninety claims decay over a minute: about one and a half a second.
  for (let count = 0; count < 90; count++) {
    const order = bench.order(1);
    bench.clearing.starts(order, bench.nowMs);
    bench.clearing.ends(order, 1, bench.nowMs);
  }
  assert.deepEqual([bench.clears(), bench.clears()], [6, 4]);
});

test('an order that arrived counts once more for ten seconds, among those expected in the next ten', () => {
  const bench = new ClearingBench(2);
  const order = Object.assign(bench.order(9), { arrival: 'expected' as const });
  bench.runs(5).rests(3);
  bench.clearing.starts(order, 0);
  assert.equal(bench.clears(), 5);
  bench.clearing.arrivals.advanceTo(10_000);
  assert.equal(bench.clears(), 3);
});

test('orders that came lately do not price while there are slots for all that are here', () => {
  const bench = new ClearingBench(2);
  for (const order of [bench.order(9), bench.order(8)]) {
    bench.clearing.starts(Object.assign(order, { arrival: 'expected' as const }), 0);
  }
  assert.equal(bench.clears(), 0);
});

test('a lock that runs counts at its limit', () => {
  const bench = new ClearingBench(1);
  const order = Object.assign(bench.order(3), { lock: { limit: 8, counted: null } });
  bench.clearing.starts(order, 0);
  assert.equal(bench.rests(6).clears(), 6);
  bench.rests(9);
  assert.equal(bench.clears(), 8);
  bench.clearing.ends(order, 1, bench.nowMs);
  assert.equal(bench.clears(), 6);
});

test('orders that claim a tenth of a slot reach a tenth as deep, and leave room for ten', () => {
  const bench = new ClearingBench(1);
  bench.rests(9, 8, 7, 6);
  for (let count = 0; count < 90; count++) {
    const order = bench.order(1, 0.1);
    bench.clearing.starts(order, bench.nowMs);
    bench.clearing.ends(order, 0.1, bench.nowMs);
  }
  assert.equal(bench.clears(), 8);
  const short = new ClearingBench(1);
  for (const bid of [9, 8, 7, 6, 5]) short.clearing.counts(short.order(bid, 0.25), bid);
  assert.equal(short.clears(), 5);
});

test('a waiting order counts at its price until it counts no longer', () => {
  const bench = new ClearingBench(1);
  bench.runs(9);
  const order = bench.order(8, 0.5);
  bench.clearing.counts(order, 8);
  assert.deepEqual([bench.clears(), bench.clearing.waiting.total], [8, 0.5]);
  bench.clearing.countsNoLonger(order, 8);
  bench.clearing.counts(order, 3);
  assert.deepEqual([bench.clears(), bench.clearing.waiting.priceAt(0)], [3, 3]);
  bench.clearing.countsNoLonger(order, 3);
  assert.deepEqual([bench.clears(), bench.clearing.waiting.total], [0, 0]);
});

test('an executing order counts at its bid until it ends', () => {
  const bench = new ClearingBench(1);
  const orders = [bench.order(9), bench.order(8)];
  for (const order of orders) bench.clearing.starts(order, 0);
  assert.equal(bench.clears(), 8);
  for (const order of orders) bench.clearing.ends(order, 1, bench.nowMs);
  assert.equal(bench.clears(), 0);
});

test('a refused order claims nothing', () => {
  const bench = new ClearingBench(4);
  const order = bench.order(1);
  bench.clearing.starts(order, 0);
  assert.ok(bench.clearing.claimRate(0) > 0);
  bench.clearing.ends(order, 0, 0);
  assert.equal(bench.clearing.claimRate(0), 0);
});

test('an order counts as what it is expected to claim, and at its end as what it claimed', () => {
  const bench = new ClearingBench(4);
  const order = bench.order(1, 0.5);
  bench.clearing.starts(order, 0);
  assert.equal(bench.clearing.claimRate(0), 0.5 / 60);
  bench.clearing.ends(order, 0.75, 0);
  assert.equal(bench.clearing.claimRate(0), 0.75 / 60);
});

test('a pace restored from its state continues', () => {
  const bench = new ClearingBench(4);
  bench.runs(1, 2, 3);
  const pace = JSON.parse(JSON.stringify(bench.clearing.pace()));
  const again = new Clearing({ settings, start: 0, pace, nowMs: 30_000 });
  again.setSlots(4, 30_000);
  assert.equal(again.claimRate(60_000), bench.clearing.claimRate(60_000));
});

test('the pace of starts follows the slots', () => {
  const bench = new ClearingBench(2);
  bench.runs(1, 1);
  const before = bench.clearing.claimRate(0);
  bench.clearing.setSlots(6, 0);
  assert.equal(bench.clearing.claimRate(0), 3 * before);
});

test('setting slots returns whether the market became degraded or healthy', () => {
  const bench = new ClearingBench(2);
  assert.deepEqual(
    [2, 3, 0, 0, 1].map((slots) => bench.clearing.setSlots(slots, 0)),
    [false, false, true, false, true],
  );
});
