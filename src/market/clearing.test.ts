import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clearing } from './clearing.ts';
import { MarketAccount, MarketOrder } from './market-order.ts';
import { OrderBook } from './order-book.ts';

const settings = { floor: 0, ceiling: 1e12, timeConstantMs: 1 };

/** A market of `slots` slots, and the price it clears at: with a time constant of 1 ms a tick goes all the way. */
class Drawn {
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

// Two starts on two slots are read as a fortieth of a start a second at most: no order starts within two seconds.
test('the target is the first bid beyond the slots, among those that run and those that wait', () => {
  assert.equal(new Drawn(2).runs(9, 5).rests(8, 7, 1).clears(), 7);
  assert.equal(new Drawn(2).runs(3, 2).rests(9, 8, 7).clears(), 7);
});

test('the target is 0 when no more bid than there are slots', () => {
  assert.equal(new Drawn(3).runs(9, 8).rests(7).clears(), 0);
});

test('orders that start within two seconds at the present pace are not marginal', () => {
  const drawn = new Drawn(1);
  drawn.rests(9, 8, 7, 6, 5, 4);
  assert.equal(drawn.clears(), 8);
  // Ninety starts fade over a minute: about one and a half a second, three in two seconds.
  for (let count = 0; count < 90; count++) {
    const order = drawn.order(1);
    drawn.clearing.starts(order, drawn.nowMs);
    // However short it was.
    drawn.clearing.ends(order, { claimed: 0, refused: false }, drawn.nowMs);
  }
  assert.equal(drawn.clears(), 6);
});

test('an order that was refused counts as no start', () => {
  const drawn = new Drawn(4);
  const order = drawn.order(1);
  drawn.clearing.starts(order, 0);
  assert.ok(drawn.clearing.startRate(0) > 0);
  drawn.clearing.ends(order, { claimed: 0, refused: true }, 0);
  assert.equal(drawn.clearing.startRate(0), 0);
});

test('an order that held its slot for a moment is a start like any other, and claims its part of a slot', () => {
  const drawn = new Drawn(4);
  const order = drawn.order(1);
  drawn.clearing.starts(order, 0);
  const whole = drawn.clearing.claimRate(0);
  drawn.clearing.ends(order, { claimed: 0.25, refused: false }, 0);
  assert.equal(drawn.clearing.startRate(0), whole);
  assert.equal(drawn.clearing.claimRate(0), whole / 4);
});

test('the pace of starts follows the slots', () => {
  const drawn = new Drawn(2);
  drawn.runs(1, 1);
  const before = drawn.clearing.startRate(0);
  drawn.clearing.setSlots(6, 0);
  assert.equal(drawn.clearing.startRate(0), 3 * before);
});

test('house orders are left out, whether they run or wait', () => {
  const drawn = new Drawn(1);
  drawn.runs(9).rests(8, 7);
  for (const bid of [50, 8, 8, 1]) {
    const probe = drawn.order(bid, true);
    drawn.book.insert(probe);
    drawn.clearing.waits(probe);
  }
  const running = drawn.order(60, true);
  drawn.clearing.starts(running, 0);
  assert.equal(drawn.clears(), 8);
  drawn.clearing.ends(running, { claimed: 1, refused: false }, drawn.nowMs);
  assert.equal(drawn.clears(), 8);
});

test('setting slots says when the market became degraded or healthy', () => {
  const drawn = new Drawn(2);
  assert.deepEqual(
    [2, 3, 0, 0, 1].map((slots) => drawn.clearing.setSlots(slots, 0)),
    [false, false, true, false, true],
  );
});
