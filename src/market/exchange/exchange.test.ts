import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import type { Listing } from '../listing.ts';
import type { Admit, Command, ExchangeEvent, LevelMoved, LevelRow, Release, Rest } from '../ports.ts';
import { Exchange } from './exchange.ts';

const START_MS = 1_000_000;
const usd = (price: number) => price * 1e9;

/** An exchange, its events, and short forms of the commands. Time moves by hand. */
class ExchangeBench {
  /** All events except quotes, which have their own tests. */
  readonly events: ExchangeEvent[] = [];
  readonly all: ExchangeEvent[] = [];
  readonly exchange: Exchange;
  readonly model: string;
  nowMs = START_MS;

  constructor(listing: Listing = marketListing(), recovered: readonly LevelRow[] = []) {
    this.model = listing.id;
    this.exchange = new Exchange({
      listings: [listing],
      levelTimeConstantMs: 20_000,
      recovered,
      ...someQuotes(),
      emit: (event) => {
        this.all.push(event);
        if (event.type !== 'quote') this.events.push(event);
      },
      nowMs: this.nowMs,
    });
  }

  say(command: Command): ExchangeEvent[] {
    const before = this.events.length;
    this.exchange.handle(command, this.nowMs);
    return this.events.slice(before);
  }

  slots(slots: number, pod = 'pod-1', healthy = true): ExchangeEvent[] {
    return this.say({ type: 'capacity', model: this.model, pod, slots, healthy });
  }

  rest(order: string, price: number, changes: Partial<Rest> = {}): ExchangeEvent[] {
    return this.say({
      type: 'rest',
      model: this.model,
      order,
      account: `account of ${order}`,
      bid: usd(price),
      lockLimit: null,
      restedSeq: null,
      attempt: 1,
      avoidPod: null,
      house: false,
      ...changes,
    });
  }

  release(order: string, changes: Partial<Release> = {}): ExchangeEvent[] {
    const pod = this.admits.findLast((event) => event.order === order)?.pod ?? 'pod-1';
    return this.say({
      type: 'release',
      model: this.model,
      order,
      attempt: 1,
      pod,
      reason: 'finished',
      ...changes,
    });
  }

  withdraw(order: string): ExchangeEvent[] {
    return this.say({ type: 'withdraw', model: this.model, order, expired: false });
  }

  reprice(order: string, price: number): ExchangeEvent[] {
    return this.say({ type: 'reprice', model: this.model, order, bid: usd(price) });
  }

  /** Lets `seconds` pass, ticking once a second. */
  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.nowMs += 1000;
      this.exchange.tick(this.nowMs);
    }
  }

  positions(...orders: string[]): (number | null)[] {
    return this.exchange.positions(this.model, orders);
  }

  get admits(): Admit[] {
    return this.events.filter((event) => event.type === 'admit');
  }

  get levels(): LevelMoved[] {
    return this.events.filter((event) => event.type === 'level');
  }

  get running(): string {
    return this.admits.map((event) => event.order).join(' ');
  }
}

test('an order runs at once when a slot is free, and its admission is the only answer', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  const [admit, ...rest] = bench.rest('ann', 3);
  assert.deepEqual(admit, {
    type: 'admit',
    model: 'tide-70b',
    seq: 4,
    order: 'ann',
    attempt: 1,
    restedSeq: 1,
    pod: 'pod-1',
    level: 0,
    levelSeq: 2,
  });
  assert.deepEqual(rest, []);
});

test('an order that must wait gets its rested seq', () => {
  const bench = new ExchangeBench();
  assert.deepEqual(bench.rest('ann', 3), [{ type: 'rested', model: 'tide-70b', seq: 3, order: 'ann', restedSeq: 1 }]);
  assert.deepEqual(bench.positions('ann', 'nobody'), [1, null]);
});

test('the best order takes each free slot, by price and then by arrival', () => {
  const bench = new ExchangeBench();
  for (const [order, price] of [
    ['ann', 3],
    ['ben', 5],
    ['cid', 3],
    ['dan', 9],
  ] as const)
    bench.rest(order, price);
  assert.deepEqual(bench.positions('ann', 'ben', 'cid', 'dan'), [3, 2, 4, 1]);
  bench.slots(2);
  assert.equal(bench.running, 'dan ben');
  assert.deepEqual(bench.positions('ann', 'ben', 'cid', 'dan'), [1, null, 2, null]);
  bench.release('ben');
  bench.release('dan');
  assert.equal(bench.running, 'dan ben ann cid');
});

test('the best order runs even though the published level is above its bid', () => {
  const bench = new ExchangeBench(marketListing({ floor: usd(7) }));
  bench.slots(1);
  const [admit] = bench.rest('ann', 3);
  assert.equal(admit?.type === 'admit' && admit.level, usd(7));
});

test('an order with a bid of 0 runs when a slot is free', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 0);
  assert.equal(bench.running, 'ann');
});

test('a repriced order joins behind those already at its new price', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3);
  bench.rest('ben', 5);
  const [repriced] = bench.reprice('ann', 5);
  assert.deepEqual(repriced, { type: 'repriced', model: 'tide-70b', seq: 5, order: 'ann', bid: usd(5), restedSeq: 3 });
  bench.slots(1);
  assert.equal(bench.running, 'ben');
});

test('a reprice to the same price loses the place in time', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3);
  bench.rest('ben', 3);
  bench.reprice('ann', 3);
  assert.deepEqual(bench.positions('ann', 'ben'), [2, 1]);
});

test('a reprice of an executing or unknown order is answered by not-resting', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 3);
  for (const order of ['ann', 'nobody']) {
    assert.deepEqual(
      bench.reprice(order, 5).map((event) => event.type),
      ['not-resting'],
    );
  }
});

test('a requeued order keeps its place in time', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 3);
  bench.rest('ben', 3);
  bench.rest('cid', 3);
  bench.release('ann');
  bench.rest('ann', 3, { restedSeq: 1, attempt: 2 });
  assert.deepEqual(bench.positions('ann', 'cid'), [1, 2]);
  bench.release('ben');
  assert.deepEqual(
    bench.admits.map((event) => [event.order, event.attempt, event.restedSeq]),
    [
      ['ann', 1, 1],
      ['ben', 1, 2],
      ['ann', 2, 1],
    ],
  );
});

test('a new order comes behind every place seen, including one from before a restart', () => {
  const bench = new ExchangeBench();
  bench.rest('old', 3, { restedSeq: 41 });
  const [rested] = bench.rest('new', 3);
  assert.equal(rested?.type === 'rested' && rested.restedSeq, 42);
});

test('a withdrawn order leaves the book without an answer', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3);
  bench.rest('ben', 3);
  assert.deepEqual(bench.withdraw('ann'), []);
  assert.deepEqual(bench.positions('ann', 'ben'), [null, 1]);
});

test('withdrawing an unknown or executing order changes nothing', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 3);
  assert.deepEqual([...bench.withdraw('ann'), ...bench.withdraw('nobody')], []);
  bench.rest('ben', 3);
  assert.equal(bench.running, 'ann');
  bench.release('ann');
  assert.equal(bench.running, 'ann ben');
});

test('resting an order twice has no further effect', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3);
  assert.deepEqual(bench.rest('ann', 9), []);
  bench.slots(2);
  assert.equal(bench.running, 'ann');
});

test('a release by another attempt, another pod or another order changes nothing', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.slots(0, 'pod-2');
  bench.rest('ann', 3);
  bench.rest('ben', 3);
  bench.release('ann', { attempt: 2 });
  bench.release('ann', { pod: 'pod-2' });
  bench.release('ben');
  bench.release('nobody', { reason: 'refused-parked' });
  assert.equal(bench.running, 'ann');
});

test('a second release of one slot changes nothing', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 3);
  bench.release('ann');
  bench.release('ann');
  bench.rest('ben', 3);
  bench.rest('cid', 3);
  assert.equal(bench.running, 'ann ben');
});

test('a refused order is gone and the next order gets its slot', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 9);
  bench.rest('ben', 3);
  bench.release('ann', { reason: 'refused' });
  assert.equal(bench.running, 'ann ben');
  assert.deepEqual(
    bench.rest('ann', 2).map((event) => event.type),
    ['rested'],
  );
});

test('capacity below the executing orders stops none of them and starts no others', () => {
  const bench = new ExchangeBench();
  bench.slots(3);
  for (const order of ['ann', 'ben', 'cid', 'dan']) bench.rest(order, 3);
  bench.slots(1);
  bench.release('ann');
  bench.release('ben');
  assert.equal(bench.running, 'ann ben cid');
  bench.release('cid');
  assert.equal(bench.running, 'ann ben cid dan');
});

for (const [reason, change] of [
  ['an unhealthy pod', (bench: ExchangeBench) => bench.slots(2, 'pod-1', false)],
  ['a pod without slots', (bench: ExchangeBench) => bench.slots(0)],
] as const) {
  test(`${reason} gets nothing, and the market is degraded with its level frozen`, () => {
    const bench = new ExchangeBench();
    bench.slots(1);
    for (const order of ['ann', 'ben', 'cid']) bench.rest(order, 3);
    // The bids that wait count after five seconds.
    bench.pass(10);
    const level = bench.levels.at(-1)?.level ?? 0;
    assert.ok(level > 0);
    change(bench);
    bench.release('ann');
    assert.equal(bench.running, 'ann');
    assert.equal(bench.levels.at(-1)?.degraded, true);
    const count = bench.levels.length;
    bench.pass(60);
    assert.equal(bench.levels.length, count);
    bench.slots(1);
    assert.equal(bench.running, 'ann ben');
    assert.deepEqual(
      { ...bench.levels.at(-1), seq: 0, levelSeq: 0, atMs: 0 },
      {
        type: 'level',
        model: 'tide-70b',
        seq: 0,
        level,
        levelSeq: 0,
        degraded: false,
        atMs: 0,
      },
    );
  });
}

test('orders go to the pod with the smallest share of its slots held', () => {
  const bench = new ExchangeBench();
  bench.slots(1, 'small');
  bench.slots(4, 'large');
  for (const order of ['ann', 'ben', 'cid', 'dan', 'eve']) bench.rest(order, 3);
  assert.deepEqual(
    bench.admits.map((event) => event.pod),
    ['small', 'large', 'large', 'large', 'large'],
  );
});

test('an order avoids the pod that failed it while another has room', () => {
  const bench = new ExchangeBench();
  bench.slots(2, 'bad');
  bench.slots(1, 'good');
  bench.rest('ann', 3, { avoidPod: 'bad' });
  bench.rest('ben', 3, { avoidPod: 'bad' });
  assert.deepEqual(
    bench.admits.map((event) => event.pod),
    ['good', 'bad'],
  );
});

test('the orders of a parked account leave the book and return to their old places', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3, { account: 'poor' });
  bench.rest('ben', 3, { account: 'rich' });
  bench.say({ type: 'park', account: 'poor' });
  assert.deepEqual(bench.positions('ann', 'ben'), [null, 1]);
  bench.say({ type: 'unpark', account: 'poor' });
  assert.deepEqual(bench.positions('ann', 'ben'), [1, 2]);
});

test('an order that rests while its account is parked is parked too, and runs after unpark', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.say({ type: 'park', account: 'poor' });
  assert.deepEqual(
    bench.rest('ann', 3, { account: 'poor' }).map((event) => event.type),
    ['rested'],
  );
  assert.deepEqual(bench.positions('ann'), [null]);
  bench.say({ type: 'unpark', account: 'poor' });
  assert.equal(bench.running, 'ann');
});

test('an admission refused because money is held parks the account and gives the slot to the next order', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 9, { account: 'poor' });
  bench.rest('ben', 8, { account: 'poor' });
  bench.rest('cid', 3, { account: 'rich' });
  bench.release('ann', { reason: 'refused-parked' });
  assert.equal(bench.running, 'ann cid');
  assert.deepEqual(bench.positions('ann', 'ben'), [null, null]);
  bench.say({ type: 'unpark', account: 'poor' });
  assert.deepEqual(bench.positions('ann', 'ben'), [1, 2]);
  bench.release('cid');
  assert.deepEqual(
    bench.admits.map((event) => [event.order, event.attempt, event.restedSeq]),
    [
      ['ann', 1, 1],
      ['cid', 1, 3],
      ['ann', 1, 1],
    ],
  );
});

test('a parked order can be repriced and withdrawn', () => {
  const bench = new ExchangeBench();
  bench.say({ type: 'park', account: 'poor' });
  bench.rest('ann', 3, { account: 'poor' });
  bench.rest('ben', 3, { account: 'poor' });
  bench.withdraw('ben');
  assert.deepEqual(
    bench.reprice('ann', 5).map((event) => event.type),
    ['repriced'],
  );
  assert.deepEqual(bench.positions('ann'), [null]);
  bench.say({ type: 'unpark', account: 'poor' });
  assert.deepEqual(bench.positions('ann', 'ben'), [1, null]);
});

test('parking twice and unparking twice is harmless', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3, { account: 'poor' });
  for (const type of ['park', 'park', 'unpark', 'unpark'] as const) bench.say({ type, account: 'poor' });
  assert.deepEqual(bench.positions('ann'), [1]);
});

test('an account at its share of the slots is passed over while another account waits', () => {
  const bench = new ExchangeBench(marketListing({ accountShareMax: 0.5 }));
  for (const order of ['w1', 'w2', 'w3', 'w4']) bench.rest(order, 9, { account: 'whale' });
  bench.rest('ann', 1);
  bench.slots(4);
  assert.equal(bench.running, 'w1 w2 ann w3');
});

test('a market starts at its floor and publishes that first', () => {
  const bench = new ExchangeBench(marketListing({ floor: usd(2) }));
  assert.deepEqual(bench.events, [
    { type: 'level', model: 'tide-70b', seq: 1, level: usd(2), levelSeq: 1, degraded: true, atMs: START_MS },
  ]);
});

test('after a restart the level and its numbers continue', () => {
  const bench = new ExchangeBench(marketListing(), [{ model: 'tide-70b', level: usd(4), levelSeq: 17, atMs: 5 }]);
  bench.slots(1);
  assert.deepEqual(
    bench.levels.map(({ level, levelSeq, degraded }) => ({ level, levelSeq, degraded })),
    [
      { level: usd(4), levelSeq: 18, degraded: true },
      { level: usd(4), levelSeq: 19, degraded: false },
    ],
  );
});

test('a level from before a restart is limited to the current bounds', () => {
  const bench = new ExchangeBench(marketListing({ ceiling: usd(3) }), [
    { model: 'tide-70b', level: usd(4), levelSeq: 17, atMs: 5 },
  ]);
  assert.equal(bench.levels[0]?.level, usd(3));
});

test('the level reaches the marginal bid when demand is constant', () => {
  const bench = new ExchangeBench();
  bench.slots(2);
  for (const [order, price] of [
    ['ann', 9],
    ['ben', 8],
    ['cid', 7],
    ['dan', 6],
  ] as const)
    bench.rest(order, price);
  bench.pass(700);
  assert.equal(bench.levels.at(-1)?.level, usd(7));
});

test('the level falls to 0 when there are fewer bids than slots', () => {
  const bench = new ExchangeBench(marketListing(), [{ model: 'tide-70b', level: usd(4), levelSeq: 1, atMs: 5 }]);
  bench.slots(2);
  bench.rest('ann', 9);
  bench.rest('ben', 9);
  bench.pass(700);
  assert.equal(bench.levels.at(-1)?.level, 0);
});

test('house orders and parked orders do not move the level', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('probe 1', 50, { house: true });
  bench.rest('probe 2', 50, { house: true });
  bench.say({ type: 'park', account: 'poor' });
  bench.rest('ann', 50, { account: 'poor' });
  bench.rest('ben', 5);
  bench.rest('cid', 4);
  bench.pass(700);
  assert.equal(bench.levels.at(-1)?.level, usd(4));
});

test('every event of a market is numbered by one more than the last', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  for (const order of ['ann', 'ben', 'cid']) bench.rest(order, 3);
  bench.pass(3);
  bench.release('ann');
  bench.reprice('cid', 9);
  assert.deepEqual(
    bench.all.map((event) => event.seq),
    bench.all.map((_, index) => index + 1),
  );
  assert.deepEqual(
    bench.levels.map((event) => event.levelSeq),
    bench.levels.map((_, index) => index + 1),
  );
});

test('a fixed-price listing has no level and no positions, and its accounts take turns', () => {
  const bench = new ExchangeBench(fixedListing());
  bench.rest('a1', 0.3, { account: 'ann' });
  bench.rest('a2', 0.3, { account: 'ann' });
  bench.rest('b1', 0.3, { account: 'ben' });
  assert.deepEqual(bench.positions('a1', 'a2', 'b1'), [null, null, null]);
  bench.slots(2);
  bench.pass(3);
  assert.equal(bench.running, 'a1 b1');
  assert.deepEqual(bench.levels, []);
  const [admit] = bench.admits;
  assert.deepEqual([admit?.level, admit?.levelSeq], [usd(0.3), 0]);
});

test('an order on a fixed-price listing cannot be repriced', () => {
  const bench = new ExchangeBench(fixedListing());
  bench.rest('ann', 1);
  assert.deepEqual(
    bench.reprice('ann', 2).map((event) => event.type),
    ['not-resting'],
  );
});

test('a preview publishes simulated levels within its bounds and takes no orders', () => {
  const bench = new ExchangeBench(marketListing({ preview: true, floor: usd(1) }));
  bench.pass(100);
  assert.ok(bench.levels.length > 50);
  for (const { level, degraded } of bench.levels) {
    assert.ok(level >= usd(1) && level <= usd(100) && Number.isInteger(level));
    assert.equal(degraded, false);
  }
  assert.throws(() => bench.rest('ann', 3), /no market for tide-70b/);
});

test('the pods of a preview are not used before it opens', () => {
  const bench = new ExchangeBench(marketListing({ preview: true }));
  assert.deepEqual(bench.slots(4), []);
});

test('a preview continues from its last level after a restart', () => {
  const bench = new ExchangeBench(marketListing({ preview: true }), [
    { model: 'tide-70b', level: usd(4), levelSeq: 17, atMs: 5 },
  ]);
  assert.deepEqual([bench.levels[0]?.level, bench.levels[0]?.levelSeq], [usd(4), 18]);
});

test('a command for a model without a market is an error of the order service', () => {
  assert.throws(() => new ExchangeBench().rest('ann', 3, { model: 'nobody' }), /no market for nobody/);
});
