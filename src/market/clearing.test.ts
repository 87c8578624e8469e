import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clearing } from './clearing.ts';
import { MarketAccount, MarketOrder } from './market-order.ts';
import { OrderBook } from './order-book.ts';

const settings = { floor: 0, ceiling: 1e12, timeConstantMs: 1 };

/** A market with `slots` slots, and its clearing price. With a time constant of 1 ms, one tick reaches it. */
class ClearingBench {
  readonly book = new OrderBook<MarketOrder>();
  readonly clearing = new Clearing({ settings, book: this.book, start: 1e11, pace: null, nowMs: 0 });
  #seq = 0;
  nowMs = 0;

  constructor(slots: number) {
    this.clearing.setSlots(slots, 0);
  }

  order(bid: number, house = false): MarketOrder {
    const rest = { type: 'rest', model: 'm', order: `${this.#seq}`, account: 'a', bid, attempt: 1, house } as const;
    const free = { lockLimit: null, restedSeq: null, avoidPod: null };
    return new MarketOrder({ ...rest, ...free }, new MarketAccount('a'), this.#seq++);
  }

  rests(...bids: number[]): this {
    for (const bid of bids) this.book.insert(this.order(bid));
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

// Two starts on two slots are a rate of at most a fortieth of a start a second: no order starts within two seconds.
test('the target is the first bid beyond the slots, among executing and waiting orders', () => {
  assert.equal(new ClearingBench(2).runs(9, 5).rests(8, 7, 1).clears(), 7);
  assert.equal(new ClearingBench(2).runs(3, 2).rests(9, 8, 7).clears(), 7);
});

test('the target is 0 when there are no more bids than slots', () => {
  assert.equal(new ClearingBench(3).runs(9, 8).rests(7).clears(), 0);
});

test('orders that start within two seconds at the current pace are not marginal', () => {
  const bench = new ClearingBench(1);
  bench.rests(9, 8, 7, 6, 5, 4);
  assert.equal(bench.clears(), 8);
  // Ninety starts decay over a minute: about one and a half a second, three in two seconds.
  for (let count = 0; count < 90; count++) {
    const order = bench.order(1);
    bench.clearing.starts(order, bench.nowMs);
    // A hold of no length still counts.
    bench.clearing.ends(order, { claimed: 0, refused: false }, bench.nowMs);
  }
  assert.equal(bench.clears(), 6);
});

test('a refused order does not count as a start', () => {
  const bench = new ClearingBench(4);
  const order = bench.order(1);
  bench.clearing.starts(order, 0);
  assert.ok(bench.clearing.startRate(0) > 0);
  bench.clearing.ends(order, { claimed: 0, refused: true }, 0);
  assert.equal(bench.clearing.startRate(0), 0);
});

test('an order that held its slot for a moment counts as a full start and as a part of a claim', () => {
  const bench = new ClearingBench(4);
  const order = bench.order(1);
  bench.clearing.starts(order, 0);
  const whole = bench.clearing.claimRate(0);
  bench.clearing.ends(order, { claimed: 0.25, refused: false }, 0);
  assert.equal(bench.clearing.startRate(0), whole);
  assert.equal(bench.clearing.claimRate(0), whole / 4);
});

test('the pace of starts follows the slots', () => {
  const bench = new ClearingBench(2);
  bench.runs(1, 1);
  const before = bench.clearing.startRate(0);
  bench.clearing.setSlots(6, 0);
  assert.equal(bench.clearing.startRate(0), 3 * before);
});

test('house orders do not count, executing or waiting', () => {
  const bench = new ClearingBench(1);
  bench.runs(9).rests(8, 7);
  for (const bid of [50, 8, 8, 1]) {
    const probe = bench.order(bid, true);
    bench.book.insert(probe);
    bench.clearing.waits(probe);
  }
  const running = bench.order(60, true);
  bench.clearing.starts(running, 0);
  assert.equal(bench.clears(), 8);
  bench.clearing.ends(running, { claimed: 1, refused: false }, bench.nowMs);
  assert.equal(bench.clears(), 8);
});

test('setting slots returns whether the market became degraded or healthy', () => {
  const bench = new ClearingBench(2);
  assert.deepEqual(
    [2, 3, 0, 0, 1].map((slots) => bench.clearing.setSlots(slots, 0)),
    [false, false, true, false, true],
  );
});
