/** Slots that orders hold when an exchange begins: an earlier one gave them, and the market must count them as taken. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import { Exchange } from './exchange/exchange.ts';
import type { Listing } from './listing.ts';
import type { Command, ExchangeEvent, HeldSlot, Release, Rest } from './ports.ts';

const usd = (price: number) => price * 1e9;

class HoldBench {
  readonly #listing: Listing;
  readonly exchange: Exchange;
  events: ExchangeEvent[] = [];
  nowMs = 0;

  constructor(listing = marketListing(), { restedSeqFrom = 0, level = 0 } = {}) {
    this.#listing = listing;
    const emit = (event: ExchangeEvent) => void this.events.push(event);
    const recovered = [{ model: listing.id, level, levelSeq: 1, atMs: 0 }];
    const options = { listings: [listing], levelTimeConstantMs: 20_000, recovered, ...someQuotes(), emit };
    this.exchange = new Exchange({ ...options, restedSeqFrom, nowMs: 0 });
  }

  /** The orders admitted by a command, and the pods. */
  say(command: Command): string[] {
    this.events = [];
    this.exchange.handle(command, this.nowMs);
    return this.events.flatMap((event) => (event.type === 'admit' ? [`${event.order} on ${event.pod}`] : []));
  }

  hold(order: string, change: Partial<HeldSlot> = {}): string[] {
    const held = {
      model: this.#listing.id,
      order,
      account: `account of ${order}`,
      attempt: 1,
      pod: 'pod',
      house: false,
    };
    return this.say({ type: 'hold', bid: usd(5), restedSeq: 1, ...held, ...change });
  }

  rest(order: string, change: Partial<Rest> = {}): string[] {
    const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
    const where = { model: this.#listing.id, order, account: `account of ${order}`, bid: usd(3) };
    return this.say({ type: 'rest', ...where, ...first, ...change });
  }

  release(order: string, change: Partial<Release> = {}): string[] {
    const slot = { model: this.#listing.id, order, attempt: 1, pod: 'pod', reason: 'finished' } as const;
    return this.say({ type: 'release', ...slot, ...change });
  }

  slots(slots: number, pod = 'pod'): string[] {
    return this.say({ type: 'capacity', model: this.#listing.id, pod, slots, healthy: true });
  }

  /** The level after so many seconds. */
  levelAfter(seconds: number): number {
    let level = 0;
    for (let second = 0; second < seconds; second++) {
      this.nowMs += 1000;
      this.events = [];
      this.exchange.tick(this.nowMs);
      for (const event of this.events) if (event.type === 'level') level = event.level;
    }
    return level;
  }
}

test('a held slot of a pod that is not known yet is taken when its capacity comes', () => {
  const bench = new HoldBench();
  bench.hold('one');
  bench.hold('two');
  bench.rest('next');
  assert.deepEqual(bench.slots(2), [], 'both slots are held');
  assert.deepEqual(bench.release('one'), ['next on pod']);
});

test('a pod with fewer slots than it holds gets no order until enough have ended', () => {
  const bench = new HoldBench();
  for (const order of ['one', 'two', 'three']) bench.hold(order);
  bench.slots(2);
  bench.rest('next');
  assert.deepEqual(bench.release('one'), []);
  assert.deepEqual(bench.release('two'), ['next on pod']);
});

test('a hold is no admission, and changes nothing for an order that is known', () => {
  const bench = new HoldBench();
  assert.deepEqual(bench.hold('one'), []);
  bench.hold('one', { pod: 'other' });
  bench.slots(1, 'other');
  assert.deepEqual(bench.rest('next'), ['next on other']);
});

test('a held slot is released only for its own order, attempt and pod', () => {
  const bench = new HoldBench();
  bench.hold('one', { attempt: 3 });
  bench.slots(1);
  bench.rest('next');
  assert.deepEqual(bench.release('one', { attempt: 2 }), []);
  assert.deepEqual(bench.release('one', { attempt: 3, pod: 'other' }), []);
  assert.deepEqual(bench.release('one', { attempt: 3 }), ['next on pod']);
});

test('held slots count in the share of their account', () => {
  const bench = new HoldBench(marketListing({ accountShareMax: 0.5 }));
  bench.hold('a1', { account: 'ann' });
  bench.hold('a2', { account: 'ann' });
  bench.rest('a3', { account: 'ann', bid: usd(9) });
  bench.rest('b1', { account: 'ben', bid: usd(1) });
  assert.deepEqual(bench.slots(4), ['b1 on pod', 'a3 on pod'], 'ann has half of the slots already');
});

test('held slots share a fixed listing with those that wait', () => {
  const bench = new HoldBench(fixedListing());
  bench.hold('a1', { account: 'ann' });
  bench.rest('a2', { account: 'ann' });
  bench.rest('b1', { account: 'ben' });
  assert.deepEqual(bench.slots(2), ['b1 on pod']);
  assert.deepEqual(bench.release('a1'), ['a2 on pod']);
});

test('a held order gives its account credit like one which started here', () => {
  const level = usd(1);
  const [held, started] = [{ level }, { level }].map((more) => new HoldBench(marketListing(), more));
  assert.ok(held && started);
  held.hold('one', { restedSeq: 1 });
  for (const bench of [held, started]) bench.slots(1);
  started.rest('one', { bid: usd(5), restedSeq: 1 });
  for (const bench of [held, started]) bench.rest('two', { bid: usd(4), restedSeq: 2 });
  const [one, two] = [held.levelAfter(90), started.levelAfter(90)];
  // What waits raises the level as far as the held slot gives credit; nothing else could, because no order ends.
  assert.ok(one > level && Math.abs(one - two) <= one * 0.01, `${one} ${two}`);
});

test('the end of a held order keeps every figure of the market finite', () => {
  const bench = new HoldBench();
  for (const reason of ['finished', 'refused'] as const) {
    bench.hold('one');
    bench.hold('probe', { house: true });
    bench.release('one', { reason });
    bench.release('probe', { reason });
  }
  bench.slots(1);
  bench.events = [];
  bench.exchange.latchQuotes(60_000);
  const quote = bench.events.find((event) => event.type === 'quote');
  assert.ok(quote?.type === 'quote' && quote.state !== null && !/null,null|NaN/.test(quote.state), quote?.state ?? '');
});

test('new orders get rested seqs above the one that an exchange begins with, and above those it received', () => {
  const bench = new HoldBench(marketListing(), { restedSeqFrom: 1000 });
  bench.rest('first');
  bench.hold('kept', { restedSeq: 2000 });
  bench.rest('second');
  assert.deepEqual(bench.exchange.positions('tide-70b', ['first', 'second']), [1, 2]);
  assert.ok(bench.events.some((event) => event.type === 'rested' && event.restedSeq === 2001));
});

test('orders with the same rested seq leave the queue each for itself', () => {
  for (const listing of [marketListing(), fixedListing()]) {
    const bench = new HoldBench(listing);
    for (const order of ['one', 'two', 'three']) bench.rest(order, { account: 'ann', restedSeq: 5 });
    bench.levelAfter(6);
    bench.say({ type: 'withdraw', model: listing.id, order: 'two', expired: false });
    assert.deepEqual(bench.slots(3).toSorted(), ['one on pod', 'three on pod']);
  }
});

/** Moves the market from one exchange to the next, by what the orders say, again and again. */
test('no pod gets more orders than slots over many changes of the exchange', () => {
  const random = seededRandom(3);
  const capacity = { north: 3, south: 2 };
  let running: { order: string; pod: string; restedSeq: number }[] = [];
  let waiting: string[] = [];
  let made = 0;
  for (let life = 0; life < 40; life++) {
    const bench = new HoldBench();
    const take = () => {
      for (const event of bench.events) {
        if (event.type !== 'admit') continue;
        waiting = waiting.filter((order) => order !== event.order);
        running.push({ order: event.order, pod: event.pod, restedSeq: event.restedSeq });
      }
      for (const [pod, slots] of Object.entries(capacity)) {
        assert.ok(running.filter((each) => each.pod === pod).length <= slots, `${pod} has too many`);
      }
    };
    for (const held of running) bench.hold(held.order, held);
    for (const order of waiting) bench.rest(order);
    for (const [pod, slots] of Object.entries(capacity)) {
      bench.slots(slots, pod);
      take();
    }
    assert.ok(waiting.length === 0 || running.length === 5, 'no order waits beside a free slot');
    for (let step = 0; step < 10; step++) {
      if (random.next() < 0.6) {
        const order = `order ${++made}`;
        waiting.push(order);
        bench.rest(order);
      } else {
        const ended = running[Math.floor(random.next() * running.length)];
        running = running.filter((each) => each !== ended);
        if (ended) bench.release(ended.order, { pod: ended.pod });
        else continue;
      }
      take();
    }
  }
});
