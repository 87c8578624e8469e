import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import { Exchange } from './exchange.ts';
import type { Listing } from './listing.ts';
import type { Admit, Command, ExchangeEvent, LevelMoved, LevelRow, Release, Rest } from './ports.ts';

const START_MS = 1_000_000;
const usd = (price: number) => price * 1e9;

/** An exchange, its events, and short words for what a desk says. Time moves by hand. */
class Floor {
  /** Everything but quotes, which have tests of their own. */
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
    const told = this.events.length;
    this.exchange.handle(command, this.nowMs);
    return this.events.slice(told);
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

test('an order runs at once when a slot is free, and is answered by its admission alone', () => {
  const floor = new Floor();
  floor.slots(1);
  const [admit, ...rest] = floor.rest('ann', 3);
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

test('an order that must wait is told its place in time', () => {
  const floor = new Floor();
  assert.deepEqual(floor.rest('ann', 3), [{ type: 'rested', model: 'tide-70b', seq: 3, order: 'ann', restedSeq: 1 }]);
  assert.deepEqual(floor.positions('ann', 'nobody'), [1, null]);
});

test('the best order takes each free slot, by price and then by arrival', () => {
  const floor = new Floor();
  for (const [order, price] of [
    ['ann', 3],
    ['ben', 5],
    ['cid', 3],
    ['dan', 9],
  ] as const)
    floor.rest(order, price);
  assert.deepEqual(floor.positions('ann', 'ben', 'cid', 'dan'), [3, 2, 4, 1]);
  floor.slots(2);
  assert.equal(floor.running, 'dan ben');
  assert.deepEqual(floor.positions('ann', 'ben', 'cid', 'dan'), [1, null, 2, null]);
  floor.release('ben');
  floor.release('dan');
  assert.equal(floor.running, 'dan ben ann cid');
});

test('the best order runs although the published level stands above its bid', () => {
  const floor = new Floor(marketListing({ floor: usd(7) }));
  floor.slots(1);
  const [admit] = floor.rest('ann', 3);
  assert.equal(admit?.type === 'admit' && admit.level, usd(7));
});

test('an order with a bid of 0 runs when a slot is free', () => {
  const floor = new Floor();
  floor.slots(1);
  floor.rest('ann', 0);
  assert.equal(floor.running, 'ann');
});

test('a repriced order joins behind those already at its new price', () => {
  const floor = new Floor();
  floor.rest('ann', 3);
  floor.rest('ben', 5);
  const [repriced] = floor.reprice('ann', 5);
  assert.deepEqual(repriced, { type: 'repriced', model: 'tide-70b', seq: 5, order: 'ann', bid: usd(5), restedSeq: 3 });
  floor.slots(1);
  assert.equal(floor.running, 'ben');
});

test('a reprice to the same price gives up the place in time', () => {
  const floor = new Floor();
  floor.rest('ann', 3);
  floor.rest('ben', 3);
  floor.reprice('ann', 3);
  assert.deepEqual(floor.positions('ann', 'ben'), [2, 1]);
});

test('a reprice of an order that runs or is unknown is answered by not-resting', () => {
  const floor = new Floor();
  floor.slots(1);
  floor.rest('ann', 3);
  for (const order of ['ann', 'nobody']) {
    assert.deepEqual(
      floor.reprice(order, 5).map((event) => event.type),
      ['not-resting'],
    );
  }
});

test('a requeued order keeps its place in time', () => {
  const floor = new Floor();
  floor.slots(1);
  floor.rest('ann', 3);
  floor.rest('ben', 3);
  floor.rest('cid', 3);
  floor.release('ann');
  floor.rest('ann', 3, { restedSeq: 1, attempt: 2 });
  assert.deepEqual(floor.positions('ann', 'cid'), [1, 2]);
  floor.release('ben');
  assert.deepEqual(
    floor.admits.map((event) => [event.order, event.attempt, event.restedSeq]),
    [
      ['ann', 1, 1],
      ['ben', 1, 2],
      ['ann', 2, 1],
    ],
  );
});

test('a new order comes behind every place seen, also one kept from before a restart', () => {
  const floor = new Floor();
  floor.rest('old', 3, { restedSeq: 41 });
  const [rested] = floor.rest('new', 3);
  assert.equal(rested?.type === 'rested' && rested.restedSeq, 42);
});

test('a withdrawn order leaves the book without an answer', () => {
  const floor = new Floor();
  floor.rest('ann', 3);
  floor.rest('ben', 3);
  assert.deepEqual(floor.withdraw('ann'), []);
  assert.deepEqual(floor.positions('ann', 'ben'), [null, 1]);
});

test('withdrawing an unknown or executing order changes nothing', () => {
  const floor = new Floor();
  floor.slots(1);
  floor.rest('ann', 3);
  assert.deepEqual([...floor.withdraw('ann'), ...floor.withdraw('nobody')], []);
  floor.rest('ben', 3);
  assert.equal(floor.running, 'ann');
  floor.release('ann');
  assert.equal(floor.running, 'ann ben');
});

test('resting an order twice rests it once', () => {
  const floor = new Floor();
  floor.rest('ann', 3);
  assert.deepEqual(floor.rest('ann', 9), []);
  floor.slots(2);
  assert.equal(floor.running, 'ann');
});

test('a release by another attempt, another pod or another order changes nothing', () => {
  const floor = new Floor();
  floor.slots(1);
  floor.slots(0, 'pod-2');
  floor.rest('ann', 3);
  floor.rest('ben', 3);
  floor.release('ann', { attempt: 2 });
  floor.release('ann', { pod: 'pod-2' });
  floor.release('ben');
  floor.release('nobody', { reason: 'refused-parked' });
  assert.equal(floor.running, 'ann');
});

test('a second release of one slot changes nothing', () => {
  const floor = new Floor();
  floor.slots(1);
  floor.rest('ann', 3);
  floor.release('ann');
  floor.release('ann');
  floor.rest('ben', 3);
  floor.rest('cid', 3);
  assert.equal(floor.running, 'ann ben');
});

test('a refused order is gone and its slot goes to the next', () => {
  const floor = new Floor();
  floor.slots(1);
  floor.rest('ann', 9);
  floor.rest('ben', 3);
  floor.release('ann', { reason: 'refused' });
  assert.equal(floor.running, 'ann ben');
  assert.deepEqual(
    floor.rest('ann', 2).map((event) => event.type),
    ['rested'],
  );
});

test('shrinking capacity below what runs stops nothing and starts nothing', () => {
  const floor = new Floor();
  floor.slots(3);
  for (const order of ['ann', 'ben', 'cid', 'dan']) floor.rest(order, 3);
  floor.slots(1);
  floor.release('ann');
  floor.release('ben');
  assert.equal(floor.running, 'ann ben cid');
  floor.release('cid');
  assert.equal(floor.running, 'ann ben cid dan');
});

for (const [reason, change] of [
  ['an unhealthy pod', (floor: Floor) => floor.slots(2, 'pod-1', false)],
  ['a pod without slots', (floor: Floor) => floor.slots(0)],
] as const) {
  test(`${reason} gets nothing, and the market is degraded with its level frozen`, () => {
    const floor = new Floor();
    floor.slots(1);
    for (const order of ['ann', 'ben', 'cid']) floor.rest(order, 3);
    floor.pass(5);
    const level = floor.levels.at(-1)?.level ?? 0;
    assert.ok(level > 0);
    change(floor);
    floor.release('ann');
    assert.equal(floor.running, 'ann');
    assert.equal(floor.levels.at(-1)?.degraded, true);
    const count = floor.levels.length;
    floor.pass(60);
    assert.equal(floor.levels.length, count);
    floor.slots(1);
    assert.equal(floor.running, 'ann ben');
    assert.deepEqual(
      { ...floor.levels.at(-1), seq: 0, levelSeq: 0, atMs: 0 },
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

test('orders go to the pod with the smallest part of its slots held', () => {
  const floor = new Floor();
  floor.slots(1, 'small');
  floor.slots(4, 'large');
  for (const order of ['ann', 'ben', 'cid', 'dan', 'eve']) floor.rest(order, 3);
  assert.deepEqual(
    floor.admits.map((event) => event.pod),
    ['small', 'large', 'large', 'large', 'large'],
  );
});

test('an order goes to another pod than the one that failed it, while another has room', () => {
  const floor = new Floor();
  floor.slots(2, 'bad');
  floor.slots(1, 'good');
  floor.rest('ann', 3, { avoidPod: 'bad' });
  floor.rest('ben', 3, { avoidPod: 'bad' });
  assert.deepEqual(
    floor.admits.map((event) => event.pod),
    ['good', 'bad'],
  );
});

test('the orders of a parked account leave the book and come back to their old places', () => {
  const floor = new Floor();
  floor.rest('ann', 3, { account: 'poor' });
  floor.rest('ben', 3, { account: 'rich' });
  floor.say({ type: 'park', account: 'poor' });
  assert.deepEqual(floor.positions('ann', 'ben'), [null, 1]);
  floor.say({ type: 'unpark', account: 'poor' });
  assert.deepEqual(floor.positions('ann', 'ben'), [1, 2]);
});

test('an order that rests while its account is parked is parked too, and runs once it may', () => {
  const floor = new Floor();
  floor.slots(1);
  floor.say({ type: 'park', account: 'poor' });
  assert.deepEqual(
    floor.rest('ann', 3, { account: 'poor' }).map((event) => event.type),
    ['rested'],
  );
  assert.deepEqual(floor.positions('ann'), [null]);
  floor.say({ type: 'unpark', account: 'poor' });
  assert.equal(floor.running, 'ann');
});

test('an admission refused for held money parks the account and passes the slot on', () => {
  const floor = new Floor();
  floor.slots(1);
  floor.rest('ann', 9, { account: 'poor' });
  floor.rest('ben', 8, { account: 'poor' });
  floor.rest('cid', 3, { account: 'rich' });
  floor.release('ann', { reason: 'refused-parked' });
  assert.equal(floor.running, 'ann cid');
  assert.deepEqual(floor.positions('ann', 'ben'), [null, null]);
  floor.say({ type: 'unpark', account: 'poor' });
  assert.deepEqual(floor.positions('ann', 'ben'), [1, 2]);
  floor.release('cid');
  assert.deepEqual(
    floor.admits.map((event) => [event.order, event.attempt, event.restedSeq]),
    [
      ['ann', 1, 1],
      ['cid', 1, 3],
      ['ann', 1, 1],
    ],
  );
});

test('a parked order can be repriced and withdrawn', () => {
  const floor = new Floor();
  floor.say({ type: 'park', account: 'poor' });
  floor.rest('ann', 3, { account: 'poor' });
  floor.rest('ben', 3, { account: 'poor' });
  floor.withdraw('ben');
  assert.deepEqual(
    floor.reprice('ann', 5).map((event) => event.type),
    ['repriced'],
  );
  assert.deepEqual(floor.positions('ann'), [null]);
  floor.say({ type: 'unpark', account: 'poor' });
  assert.deepEqual(floor.positions('ann', 'ben'), [1, null]);
});

test('parking twice and unparking twice is harmless', () => {
  const floor = new Floor();
  floor.rest('ann', 3, { account: 'poor' });
  for (const type of ['park', 'park', 'unpark', 'unpark'] as const) floor.say({ type, account: 'poor' });
  assert.deepEqual(floor.positions('ann'), [1]);
});

test('an account at its share of the slots is passed over while another account waits', () => {
  const floor = new Floor(marketListing({ accountShareMax: 0.5 }));
  for (const order of ['w1', 'w2', 'w3', 'w4']) floor.rest(order, 9, { account: 'whale' });
  floor.rest('ann', 1);
  floor.slots(4);
  assert.equal(floor.running, 'w1 w2 ann w3');
});

test('a market starts at its floor and says so before anything else', () => {
  const floor = new Floor(marketListing({ floor: usd(2) }));
  assert.deepEqual(floor.events, [
    { type: 'level', model: 'tide-70b', seq: 1, level: usd(2), levelSeq: 1, degraded: true, atMs: START_MS },
  ]);
});

test('after a restart the level and its numbers go on', () => {
  const floor = new Floor(marketListing(), [{ model: 'tide-70b', level: usd(4), levelSeq: 17, atMs: 5 }]);
  floor.slots(1);
  assert.deepEqual(
    floor.levels.map(({ level, levelSeq, degraded }) => ({ level, levelSeq, degraded })),
    [
      { level: usd(4), levelSeq: 18, degraded: true },
      { level: usd(4), levelSeq: 19, degraded: false },
    ],
  );
});

test('a level from before a restart is brought within the bounds of now', () => {
  const floor = new Floor(marketListing({ ceiling: usd(3) }), [
    { model: 'tide-70b', level: usd(4), levelSeq: 17, atMs: 5 },
  ]);
  assert.equal(floor.levels[0]?.level, usd(3));
});

test('the level reaches the marginal bid when demand stands still', () => {
  const floor = new Floor();
  floor.slots(2);
  for (const [order, price] of [
    ['ann', 9],
    ['ben', 8],
    ['cid', 7],
    ['dan', 6],
  ] as const)
    floor.rest(order, price);
  floor.pass(700);
  assert.equal(floor.levels.at(-1)?.level, usd(7));
});

test('the level goes to 0 when fewer bid than there are slots', () => {
  const floor = new Floor(marketListing(), [{ model: 'tide-70b', level: usd(4), levelSeq: 1, atMs: 5 }]);
  floor.slots(2);
  floor.rest('ann', 9);
  floor.rest('ben', 9);
  floor.pass(700);
  assert.equal(floor.levels.at(-1)?.level, 0);
});

test('house orders and parked orders do not move the level', () => {
  const floor = new Floor();
  floor.slots(1);
  floor.rest('probe 1', 50, { house: true });
  floor.rest('probe 2', 50, { house: true });
  floor.say({ type: 'park', account: 'poor' });
  floor.rest('ann', 50, { account: 'poor' });
  floor.rest('ben', 5);
  floor.rest('cid', 4);
  floor.pass(700);
  assert.equal(floor.levels.at(-1)?.level, usd(4));
});

test('every event of a market is numbered by one more than the last', () => {
  const floor = new Floor();
  floor.slots(1);
  for (const order of ['ann', 'ben', 'cid']) floor.rest(order, 3);
  floor.pass(3);
  floor.release('ann');
  floor.reprice('cid', 9);
  assert.deepEqual(
    floor.all.map((event) => event.seq),
    floor.all.map((_, index) => index + 1),
  );
  assert.deepEqual(
    floor.levels.map((event) => event.levelSeq),
    floor.levels.map((_, index) => index + 1),
  );
});

test('a fixed-price listing has no level and no positions, and its orders take turns', () => {
  const floor = new Floor(fixedListing());
  floor.rest('a1', 0.3, { account: 'ann' });
  floor.rest('a2', 0.3, { account: 'ann' });
  floor.rest('b1', 0.3, { account: 'ben' });
  assert.deepEqual(floor.positions('a1', 'a2', 'b1'), [null, null, null]);
  floor.slots(2);
  floor.pass(3);
  assert.equal(floor.running, 'a1 b1');
  assert.deepEqual(floor.levels, []);
  const [admit] = floor.admits;
  assert.deepEqual([admit?.level, admit?.levelSeq], [usd(0.3), 0]);
});

test('an order on a fixed-price listing cannot be repriced', () => {
  const floor = new Floor(fixedListing());
  floor.rest('ann', 1);
  assert.deepEqual(
    floor.reprice('ann', 2).map((event) => event.type),
    ['not-resting'],
  );
});

test('a preview publishes simulated levels within its bounds and takes no orders', () => {
  const floor = new Floor(marketListing({ preview: true, floor: usd(1) }));
  floor.pass(100);
  assert.ok(floor.levels.length > 50);
  for (const { level, degraded } of floor.levels) {
    assert.ok(level >= usd(1) && level <= usd(100) && Number.isInteger(level));
    assert.equal(degraded, false);
  }
  assert.throws(() => floor.rest('ann', 3), /no market for tide-70b/);
});

test('the pods of a preview wait for its opening', () => {
  const floor = new Floor(marketListing({ preview: true }));
  assert.deepEqual(floor.slots(4), []);
});

test('a preview goes on from its last level after a restart', () => {
  const floor = new Floor(marketListing({ preview: true }), [
    { model: 'tide-70b', level: usd(4), levelSeq: 17, atMs: 5 },
  ]);
  assert.deepEqual([floor.levels[0]?.level, floor.levels[0]?.levelSeq], [usd(4), 18]);
});

test('naming a model without a market is an error of the desk', () => {
  assert.throws(() => new Floor().rest('ann', 3, { model: 'nobody' }), /no market for nobody/);
});
