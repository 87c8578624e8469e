/** The quote of a whole market: its inputs, what moves it, and how locks are counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import { Exchange } from '../exchange/exchange.ts';
import type { Listing } from '../listing.ts';
import type { Admit, ExchangeEvent, LockMinute, LocksResolved, QuoteLatched, RecoveredQuote, Rest } from '../ports.ts';
import type { QuoteState } from './quote.ts';

const usd = (price: number) => price * 1e9;

/** One market on a clock that the test moves. Orders execute until they are released. */
class MarketBench {
  readonly model: string;
  readonly events: ExchangeEvent[] = [];
  readonly exchange: Exchange;
  nowMs: number;
  #orders = 0;

  constructor(
    listing: Listing = marketListing(),
    recoveredQuotes: readonly RecoveredQuote[] = [],
    nowMs = 1_000_000_000,
  ) {
    this.nowMs = nowMs;
    this.model = listing.id;
    const emit = (event: ExchangeEvent) => void this.events.push(event);
    this.exchange = new Exchange({
      listings: [listing],
      levelTimeConstantMs: 20_000,
      recovered: [],
      ...someQuotes(),
      recoveredQuotes,
      emit,
      nowMs: this.nowMs,
    });
  }

  get quotes(): QuoteLatched[] {
    return this.events.filter((event) => event.type === 'quote');
  }
  get quote(): QuoteLatched {
    const quote = this.quotes.at(-1);
    assert.ok(quote);
    return quote;
  }
  /** The lock outcomes as a start finds them. */
  get lockMinutes(): LockMinute[] {
    return this.locks.map(({ minuteMs, started, missed, scarceStarted, scarceMissed }) => {
      return { minuteMs, started, missed, scarceStarted, scarceMissed };
    });
  }
  get locks(): LocksResolved[] {
    return this.events.filter((event) => event.type === 'locks');
  }

  slots(slots: number, healthy = true): void {
    this.exchange.handle({ type: 'capacity', model: this.model, pod: 'pod-1', slots, healthy }, this.nowMs);
  }

  rest(bid: number, more: Partial<Rest> = {}): string {
    const order = `order ${++this.#orders}`;
    const where = { restedSeq: null, attempt: 1, avoidPod: null, house: false, lockLimit: null };
    const account = `account ${order}`;
    this.exchange.handle(
      { type: 'rest', model: this.model, order, account, bid: usd(bid), ...where, ...more },
      this.nowMs,
    );
    return order;
  }

  /** A lock at this bid whose limit was above the quote. */
  lock(bid: number, more: Partial<Rest> = {}): string {
    return this.rest(bid, { lockLimit: usd(bid) + usd(1), ...more });
  }

  release(order: string, reason: 'finished' | 'refused' = 'finished'): void {
    const admit = this.events.findLast((event): event is Admit => event.type === 'admit' && event.order === order);
    const { model, attempt = 1, pod = 'pod-1' } = admit ?? { model: this.model };
    this.exchange.handle({ type: 'release', model, order, attempt, pod, reason }, this.nowMs);
  }

  withdraw(order: string, expired: boolean): void {
    this.exchange.handle({ type: 'withdraw', model: this.model, order, expired }, this.nowMs);
  }

  waitForMoney(order: string): void {
    this.exchange.handle(
      { type: 'withdraw', model: this.model, order, expired: false, waitsForMoney: true },
      this.nowMs,
    );
  }

  pass(ms: number): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.nowMs += 500;
      this.exchange.tick(this.nowMs);
    }
  }
}

/** Whether it is the first price above a bid: prices have steps of a tenth of a per cent. */
const isJustAbove = (price: number, bid: number) => price > usd(bid) && price <= usd(bid) * 1.001 + 1;

test('an empty market with free slots is quoted at 0, or at its floor if it has one', () => {
  for (const floor of [0, usd(2)]) {
    const bench = new MarketBench(marketListing({ floor }));
    bench.slots(8);
    bench.pass(20_000);
    assert.equal(bench.quote.price, floor);
  }
});

test('if floor and ceiling are equal, quote and level are equal to them, whatever the bids', () => {
  const bench = new MarketBench(marketListing({ floor: usd(3), ceiling: usd(3) }));
  bench.slots(1);
  for (const bid of [1e9, 9, 3, 0]) bench.rest(bid);
  bench.pass(60_000);
  assert.ok(bench.quotes.every(({ price }) => price === usd(3)));
  const levels = bench.events.filter((event) => event.type === 'level');
  assert.ok(levels.every(({ level }) => level === usd(3)));
});

test('the quote is the lowest price at which the orders ahead leave room', () => {
  const bench = new MarketBench();
  // Four slots, held by orders that started an hour ago, and four waiting orders that bid more than 5 USD.
  bench.slots(4);
  for (let order = 0; order < 4; order++) bench.rest(20);
  bench.pass(3_600_000);
  for (const bid of [9, 8, 7, 6, 5, 4]) bench.rest(bid);
  bench.pass(3_600_000);
  assert.ok(isJustAbove(bench.quote.price, 9), 'with no room and no pace it is the lowest price with nothing ahead');
  bench.slots(14);
  bench.pass(3_600_000);
  assert.equal(bench.quote.price, 0);
});

test('expected arrivals that bid more count as much as resting orders', () => {
  const bench = new MarketBench();
  bench.slots(40);
  // Six orders a second at 6 USD and six at 2 USD, each executing for four seconds: ten of the twelve can start.
  const waiting = new Map<string, number>();
  const running = new Map<string, number>();
  for (let second = 0, seen = 0; second < 200; second++) {
    for (const [order, since] of running) {
      if (since > second - 4) continue;
      running.delete(order);
      bench.release(order);
    }
    for (const bid of [6, 6, 6, 6, 6, 6, 2, 2, 2, 2, 2, 2]) waiting.set(bench.rest(bid), second);
    for (const event of bench.events.slice(seen)) {
      if (event.type !== 'admit') continue;
      waiting.delete(event.order);
      running.set(event.order, second);
    }
    seen = bench.events.length;
    for (const [order, since] of waiting) {
      if (since > second - 10) continue;
      waiting.delete(order);
      bench.withdraw(order, true);
    }
    bench.pass(1000);
  }
  assert.ok(bench.quote.price > usd(1.9) && bench.quote.price < usd(2.2), `quote ${bench.quote.price}`);
});

test('momentary orders leave no room for a lock, and orders that hold a slot for a second do', () => {
  for (const [runsMs, isRoom] of [
    [0, false],
    [1000, true],
  ] as const) {
    const bench = new MarketBench();
    bench.slots(1);
    for (let second = 0; second < 120; second++) {
      const orders = [9, 9, 9].map((bid) => bench.rest(bid));
      for (const order of orders) bench.release(order);
      const order = bench.rest(9);
      bench.pass(runsMs);
      bench.release(order);
      bench.pass(1000 - runsMs);
    }
    for (const bid of [9, 5]) bench.rest(bid);
    bench.pass(20_000);
    assert.equal(isJustAbove(bench.quote.price, 5), !isRoom, `${bench.quote.price}`);
  }
});

test('while no pod is healthy the quote stays and its windows continue', () => {
  const bench = new MarketBench();
  bench.slots(1);
  bench.rest(9);
  bench.rest(8);
  bench.pass(60_000);
  const { price, quoteSeq } = bench.quote;
  assert.ok(isJustAbove(price, 8), `${price}`);
  bench.slots(1, false);
  for (let order = 0; order < 20; order++) bench.rest(50);
  bench.pass(60_000);
  assert.deepEqual([bench.quote.price, bench.quote.quoteSeq], [price, quoteSeq + 6]);
});

test('windows follow each other without a gap, numbered, each with the previous price', () => {
  const bench = new MarketBench();
  bench.slots(1);
  bench.pass(100_000);
  assert.equal(bench.quotes[0]?.previousPrice, null);
  for (const [index, quote] of bench.quotes.entries()) {
    const before = bench.quotes[index - 1];
    if (before) {
      assert.deepEqual([quote.atMs, quote.quoteSeq], [before.untilMs, before.quoteSeq + 1]);
      assert.equal(quote.previousPrice, before.price);
    }
  }
});

test('locks that start and locks that expire determine the clear rate', () => {
  const bench = new MarketBench();
  bench.slots(45);
  for (let lock = 0; lock < 45; lock++) bench.lock(5);
  for (let lock = 0; lock < 5; lock++) bench.withdraw(bench.lock(5), true);
  bench.pass(10_000);
  assert.equal(bench.quote.clearRate, 0.9);
  assert.deepEqual(
    bench.locks.map(({ started, missed }) => [started, missed]),
    [[45, 5]],
  );
});

test('locks that were quoted more than the floor also have a clear rate of their own', () => {
  const bench = new MarketBench(marketListing({ floor: usd(2) }));
  bench.slots(89);
  for (let lock = 0; lock < 60; lock++) bench.lock(2);
  for (let lock = 0; lock < 29; lock++) bench.lock(5);
  bench.pass(10_000);
  assert.deepEqual([bench.quote.clearRate, bench.quote.scarceClearRate], [1, null]);
  bench.withdraw(bench.lock(5), true);
  bench.pass(10_000);
  assert.deepEqual([bench.quote.clearRate, bench.quote.scarceClearRate], [89 / 90, 29 / 30]);
  const { quoteSeq, price, state } = bench.quote;
  const recovered = { model: bench.model, quoteSeq, price, state, lockMinutes: bench.lockMinutes };
  const { quote } = new MarketBench(marketListing(), [recovered], bench.nowMs);
  assert.deepEqual([quote.clearRate, quote.scarceClearRate], [89 / 90, 29 / 30]);
});

test('the target is not attainable where slots come free too seldom, and a restart remembers it', () => {
  for (const [slots, runsMs, attainable] of [
    [8, 20_000, true],
    [8, 60_000, false],
  ] as const) {
    const bench = new MarketBench();
    bench.slots(slots);
    assert.equal(bench.quote.attainable, null);
    bench.rest(9, { house: true });
    for (let passedMs = 0; passedMs < 300_000; passedMs += runsMs) {
      const orders = Array.from({ length: slots - 1 }, () => bench.rest(9));
      bench.pass(runsMs);
      for (const order of orders) bench.release(order);
    }
    bench.pass(10_000);
    assert.equal(bench.quote.attainable, attainable, `${runsMs} ms`);
    const { quoteSeq, price, state } = bench.quote;
    const recovered = { model: bench.model, quoteSeq, price, state, lockMinutes: [] };
    const later = new MarketBench(marketListing(), [recovered], bench.nowMs);
    assert.equal(later.quote.attainable, null, 'no pod is healthy yet');
    later.slots(slots);
    later.pass(10_000);
    assert.equal(later.quote.attainable, attainable);
    later.slots(slots, false);
    later.pass(10_000);
    assert.equal(later.quote.attainable, null);
  }
});

test('locks that say nothing about the market do not count', () => {
  const bench = new MarketBench();
  bench.slots(30);
  for (let lock = 0; lock < 30; lock++) bench.lock(5);
  const expire = (order: string) => bench.withdraw(order, true);
  expire(bench.rest(5));
  expire(bench.rest(5, { lockLimit: usd(5) }));
  expire(bench.lock(5, { house: true }));
  expire(bench.lock(5, { attempt: 2, restedSeq: 7 }));
  bench.withdraw(bench.lock(5), false);
  const poor = bench.lock(5, { account: 'poor' });
  bench.waitForMoney(poor);
  expire(bench.lock(5, { account: 'poor', restedSeq: 8, waitedForMoney: true }));
  bench.pass(10_000);
  assert.equal(bench.quote.clearRate, 1);
});

test('bids without the money for them do not count as arrivals, nor does a refused one', () => {
  const bench = new MarketBench();
  const arrived = () => (JSON.parse(bench.quote.state ?? '') as QuoteState).arrivals.map(({ bins }) => bins);
  bench.slots(1);
  const first = bench.rest(50, { account: 'poor' });
  const others = Array.from({ length: 100 }, () => bench.rest(50, { account: 'poor' }));
  for (const order of others) bench.waitForMoney(order);
  bench.release(first, 'refused');
  bench.release(bench.rest(50), 'refused');
  bench.pass(10_000);
  assert.deepEqual(arrived(), [[], []]);
  // With money they rest again and are ahead of others, but they do not count as arrivals again.
  for (const order of others) bench.rest(50, { order, account: 'poor', restedSeq: 2, waitedForMoney: true });
  bench.pass(10_000);
  assert.deepEqual(arrived(), [[], []]);
});

test('a lock that was admitted and refused did not start, and does not count later', () => {
  const bench = new MarketBench();
  bench.slots(32);
  const locks = Array.from({ length: 32 }, () => bench.lock(5));
  bench.release(locks[0] ?? '', 'refused');
  bench.release(locks[1] ?? '', 'refused');
  bench.withdraw(bench.lock(5, { order: locks[1] ?? '', restedSeq: 2, waitedForMoney: true }), true);
  bench.pass(10_000);
  assert.deepEqual(
    bench.locks.map(({ started, missed }) => [started, missed]),
    [[30, 0]],
  );
  assert.equal(bench.quote.clearRate, 1);
});

/** Forty accounts send ten locks each, twice: the first ones have ended, the others hold all slots. */
function fortyAccountsLock(bench: MarketBench): void {
  const lock = () => Array.from({ length: 400 }, (_, at) => bench.lock(5, { account: `account ${at % 40}` }));
  const first = lock();
  bench.pass(10_000);
  for (const order of first) bench.release(order);
  lock();
}

test('locks of an account that starts none do not make the market look worse than it is', () => {
  const bench = new MarketBench();
  bench.slots(400);
  fortyAccountsLock(bench);
  for (let lock = 0; lock < 300; lock++) bench.withdraw(bench.lock(5, { account: 'flooder' }), true);
  bench.pass(10_000);
  assert.ok((bench.quote.clearRate ?? 0) > 0.95, `${bench.quote.clearRate}`);
});

test('nor do they after a restart, when they rest again', () => {
  const bench = new MarketBench();
  bench.slots(400);
  fortyAccountsLock(bench);
  for (let lock = 0; lock < 300; lock++) bench.lock(5, { account: 'flooder' });
  bench.pass(10_000);
  const { quoteSeq, price, state } = bench.quote;
  const recovered = { model: bench.model, quoteSeq, price, state, lockMinutes: bench.lockMinutes };
  const later = new MarketBench(marketListing(), [recovered], bench.nowMs);
  for (let lock = 0; lock < 300; lock++) {
    later.withdraw(later.lock(5, { account: 'flooder', restedSeq: 801 + lock }), true);
  }
  later.pass(10_000);
  assert.ok((later.quote.clearRate ?? 0) > 0.95, `${later.quote.clearRate}`);
});

test('after a restart a quote continues: price, number, clear rate and everything it learnt', () => {
  const bench = new MarketBench();
  bench.slots(40);
  const locks = Array.from({ length: 40 }, (_, lock) => bench.lock(5, { account: `account ${lock % 5}` }));
  bench.withdraw(bench.lock(5), true);
  for (const bid of [3, 2]) bench.rest(bid);
  bench.pass(1000);
  for (const lock of locks.slice(0, 4)) bench.release(lock);
  for (const bid of [3, 2, 2]) bench.rest(bid);
  bench.pass(59_000);
  const { quoteSeq, price, state, clearRate, scarceClearRate } = bench.quote;
  assert.ok(price > 0 && scarceClearRate !== null);
  const { runs, arrivals, turnover } = JSON.parse(state ?? '');
  assert.deepEqual(runs.accounts[0].slice(0, 4), ['account 0', 1000, 0.85, 1]);
  assert.ok(runs.unknown.at(-2) > 20 && runs.unknown.at(-1) > 30);
  for (const { bins } of arrivals) assert.ok(bins.length > 1);
  assert.ok(turnover.claimed > 0 && turnover.ended > 0 && turnover.heldMs > 2_000_000);
  const recovered = { model: bench.model, quoteSeq, price, state, lockMinutes: bench.lockMinutes };
  const { quote } = new MarketBench(marketListing(), [recovered], bench.nowMs);
  assert.deepEqual([quote.quoteSeq, quote.price, quote.previousPrice], [quoteSeq + 1, price, null]);
  assert.deepEqual([quote.clearRate, quote.scarceClearRate], [clearRate, scarceClearRate]);
  assert.equal(quote.state, state);
});

test('the state of a quote from before locks had weights is ignored, including its correction', () => {
  const known = { model: marketListing().id, quoteSeq: 7, price: usd(3), lockMinutes: [] };
  const before = { correction: 1.5, resolvedMean: 2 };
  const rate = { sum: 1, atMs: 0 };
  const pace = { starts: rate, claims: rate };
  const state = JSON.stringify({ calibration: before, arrivals: { atMs: 0, bins: [[5, 9]] }, pace });
  const bench = new MarketBench(marketListing(), [{ ...known, state }]);
  assert.equal(bench.quote.price, usd(3));
  const { calibration, arrivals } = JSON.parse(bench.quote.state ?? '') as QuoteState;
  assert.deepEqual([calibration.correction, arrivals.map(({ bins }) => bins)], [0, [[], []]]);
});

test('a preview is quoted at its simulated level and has no clear rate', () => {
  const bench = new MarketBench(marketListing({ id: 'soon', preview: true, floor: usd(1) }));
  bench.pass(30_000);
  const levels = bench.events.filter((event) => event.type === 'level').map(({ level }) => level);
  const { price, clearRate, scarceClearRate, attainable } = bench.quote;
  assert.ok(price >= Math.min(...levels) && price <= Math.max(...levels));
  assert.deepEqual([clearRate, scarceClearRate, attainable], [null, null, null]);
  assert.equal(bench.quotes.length, 4);
});

test('a fixed-price listing has no quote', () => {
  const bench = new MarketBench(fixedListing());
  bench.slots(1);
  bench.lock(5);
  bench.pass(30_000);
  assert.deepEqual(
    bench.events.map(({ type }) => type),
    ['admit'],
  );
});
