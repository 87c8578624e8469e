/** The quote of a whole market: what it is read from, what moves it, and how locks are counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import { Exchange } from './exchange.ts';
import type { Listing } from './listing.ts';
import type { Admit, ExchangeEvent, LocksResolved, QuoteLatched, RecoveredQuote, Rest } from './ports.ts';
import type { QuoteState } from './quote.ts';

const usd = (price: number) => price * 1e9;

/** One market on a clock that the test moves; orders run until they are released. */
class Pit {
  readonly model: string;
  readonly events: ExchangeEvent[] = [];
  readonly exchange: Exchange;
  nowMs = 1_000_000_000;
  #orders = 0;

  constructor(listing: Listing = marketListing(), recoveredQuotes: readonly RecoveredQuote[] = []) {
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

  release(order: string, reason: 'finished' | 'refused' | 'refused-parked' = 'finished'): void {
    const admit = this.events.findLast((event): event is Admit => event.type === 'admit' && event.order === order);
    const { model, attempt = 1, pod = 'pod-1' } = admit ?? { model: this.model };
    this.exchange.handle({ type: 'release', model, order, attempt, pod, reason }, this.nowMs);
  }

  withdraw(order: string, expired: boolean): void {
    this.exchange.handle({ type: 'withdraw', model: this.model, order, expired }, this.nowMs);
  }

  pass(ms: number): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.nowMs += 500;
      this.exchange.tick(this.nowMs);
    }
  }
}

test('an empty market with free slots is quoted at 0, and at its floor where it has one', () => {
  for (const floor of [0, usd(2)]) {
    const pit = new Pit(marketListing({ floor }));
    pit.slots(8);
    pit.pass(20_000);
    assert.equal(pit.quote.price, floor);
  }
});

test('a floor that is the ceiling is the quote and the level, whatever is bid', () => {
  const pit = new Pit(marketListing({ floor: usd(3), ceiling: usd(3) }));
  pit.slots(1);
  for (const bid of [1e9, 9, 3, 0]) pit.rest(bid);
  pit.pass(60_000);
  assert.ok(pit.quotes.every(({ price }) => price === usd(3)));
  const levels = pit.events.filter((event) => event.type === 'level');
  assert.ok(levels.every(({ level }) => level === usd(3)));
});

test('the quote is the lowest price at which those ahead leave room', () => {
  const pit = new Pit();
  // Nothing runs here but what took the slots an hour ago: four slots, and four that want them more than 5 USD.
  pit.slots(4);
  for (let order = 0; order < 4; order++) pit.rest(20);
  pit.pass(3_600_000);
  for (const bid of [9, 8, 7, 6, 5, 4]) pit.rest(bid);
  pit.pass(3_600_000);
  assert.equal(pit.quote.price, usd(9) + 1, 'with no room and no pace it is the lowest price with nothing ahead');
  pit.slots(14);
  pit.pass(3_600_000);
  assert.equal(pit.quote.price, 0);
});

test('those who come and bid more count as much as those who are there', () => {
  const pit = new Pit();
  pit.slots(10);
  // Two orders a second at 6 USD, each running for a second: 20 more are expected in a window than there are starts for.
  for (let second = 0; second < 300; second++) {
    const orders = Array.from({ length: 12 }, (_, index) => pit.rest(index < 6 ? 6 : 2));
    pit.pass(1000);
    for (const order of orders) {
      if (pit.events.some((event) => event.type === 'admit' && event.order === order)) pit.release(order);
      else pit.withdraw(order, false);
    }
  }
  assert.ok(pit.quote.price > usd(1.9) && pit.quote.price < usd(2.2), `quote ${pit.quote.price}`);
});

test('orders of a moment are no room for a lock, and orders that run for a second are', () => {
  for (const [runsMs, isRoom] of [
    [0, false],
    [1000, true],
  ] as const) {
    const pit = new Pit();
    pit.slots(1);
    for (let second = 0; second < 120; second++) {
      const orders = [9, 9, 9].map((bid) => pit.rest(bid));
      for (const order of orders) pit.release(order);
      const order = pit.rest(9);
      pit.pass(runsMs);
      pit.release(order);
      pit.pass(1000 - runsMs);
    }
    for (const bid of [9, 5]) pit.rest(bid);
    pit.pass(20_000);
    assert.equal(pit.quote.price === usd(5) + 1, !isRoom, `${pit.quote.price}`);
  }
});

test('while no pod is healthy the quote stays as it was and its windows go on', () => {
  const pit = new Pit();
  pit.slots(1);
  pit.rest(9);
  pit.rest(8);
  pit.pass(60_000);
  const { price, quoteSeq } = pit.quote;
  assert.equal(price, usd(8) + 1);
  pit.slots(1, false);
  for (let order = 0; order < 20; order++) pit.rest(50);
  pit.pass(60_000);
  assert.deepEqual([pit.quote.price, pit.quote.quoteSeq], [price, quoteSeq + 6]);
});

test('windows follow each other without a gap, numbered, each naming the price before', () => {
  const pit = new Pit();
  pit.slots(1);
  pit.pass(100_000);
  assert.equal(pit.quotes[0]?.previousPrice, null);
  for (const [index, quote] of pit.quotes.entries()) {
    const before = pit.quotes[index - 1];
    if (before) {
      assert.deepEqual([quote.atMs, quote.quoteSeq], [before.untilMs, before.quoteSeq + 1]);
      assert.equal(quote.previousPrice, before.price);
    }
  }
});

test('locks that start and locks that expire make the clear rate', () => {
  const pit = new Pit();
  pit.slots(45);
  for (let lock = 0; lock < 45; lock++) pit.lock(5);
  for (let lock = 0; lock < 5; lock++) pit.withdraw(pit.lock(5), true);
  pit.pass(10_000);
  assert.equal(pit.quote.clearRate, 0.9);
  assert.deepEqual(
    pit.locks.map(({ started, missed }) => [started, missed]),
    [[45, 5]],
  );
});

test('what says nothing about the market does not count as a lock', () => {
  const pit = new Pit();
  pit.slots(30);
  for (let lock = 0; lock < 30; lock++) pit.lock(5);
  const expire = (order: string) => pit.withdraw(order, true);
  expire(pit.rest(5));
  expire(pit.rest(5, { lockLimit: usd(5) }));
  expire(pit.lock(5, { house: true }));
  expire(pit.lock(5, { attempt: 2, restedSeq: 7 }));
  pit.withdraw(pit.lock(5), false);
  const poor = pit.lock(5, { account: 'poor' });
  pit.exchange.handle({ type: 'park', account: 'poor' }, pit.nowMs);
  expire(poor);
  expire(pit.lock(5, { account: 'poor' }));
  pit.pass(10_000);
  assert.equal(pit.quote.clearRate, 1);
});

test('bids that nobody has the money for do not count as arrivals, nor does one that was refused', () => {
  const pit = new Pit();
  const arrived = () => (JSON.parse(pit.quote.state ?? '') as QuoteState).arrivals.bins;
  pit.slots(1);
  const first = pit.rest(50, { account: 'poor' });
  for (let order = 0; order < 100; order++) pit.rest(50, { account: 'poor' });
  pit.release(first, 'refused-parked');
  pit.release(pit.rest(50), 'refused');
  pit.pass(10_000);
  assert.deepEqual(arrived(), []);
  // With money they rest again, and are ahead of others, but they do not come a second time.
  pit.exchange.handle({ type: 'unpark', account: 'poor' }, pit.nowMs);
  pit.pass(10_000);
  assert.deepEqual(arrived(), []);
});

test('a lock that was chosen and refused did not start, and one parked for money does not count later', () => {
  const pit = new Pit();
  pit.slots(32);
  const locks = Array.from({ length: 32 }, () => pit.lock(5));
  pit.release(locks[0] ?? '', 'refused');
  pit.release(locks[1] ?? '', 'refused-parked');
  pit.withdraw(locks[1] ?? '', true);
  pit.pass(10_000);
  assert.deepEqual(
    pit.locks.map(({ started, missed }) => [started, missed]),
    [[30, 0]],
  );
  assert.equal(pit.quote.clearRate, 1);
});

test('a quote goes on after a restart: price, number, clear rate, and what it is read from', () => {
  const pit = new Pit();
  pit.slots(40);
  for (let lock = 0; lock < 40; lock++) pit.lock(5);
  pit.withdraw(pit.lock(5), true);
  pit.rest(3);
  pit.rest(2);
  pit.pass(60_000);
  const { quoteSeq, price, state, clearRate } = pit.quote;
  assert.ok(price > 0);
  const lockMinutes = pit.locks.map(({ minuteMs, started, missed }) => ({ minuteMs, started, missed }));
  const again = new Pit(marketListing(), [{ model: pit.model, quoteSeq, price, state, lockMinutes }]);
  const { quote } = again;
  assert.deepEqual([quote.quoteSeq, quote.price, quote.previousPrice], [quoteSeq + 1, price, null]);
  assert.equal(quote.clearRate, clearRate);
  assert.equal(quote.state, state);
});

test('what a quote was read from before it allowed for chance is left out, its correction too', () => {
  const known = { model: marketListing().id, quoteSeq: 7, price: usd(3), lockMinutes: [] };
  const before = { correction: 1.5, resolvedMean: 2 };
  const starts = { sum: 1, atMs: 0 };
  const state = JSON.stringify({ calibration: before, arrivals: { atMs: 0, bins: [[5, 9]] }, starts });
  const pit = new Pit(marketListing(), [{ ...known, state }]);
  assert.equal(pit.quote.price, usd(3));
  const { calibration, arrivals } = JSON.parse(pit.quote.state ?? '') as QuoteState;
  assert.deepEqual([calibration.correction, arrivals.bins], [0, []]);
});

test('a preview is quoted from its simulated level and has no clear rate', () => {
  const pit = new Pit(marketListing({ id: 'soon', preview: true, floor: usd(1) }));
  pit.pass(30_000);
  const levels = pit.events.filter((event) => event.type === 'level').map(({ level }) => level);
  const { price, clearRate } = pit.quote;
  assert.ok(price >= Math.min(...levels) && price <= Math.max(...levels));
  assert.equal(clearRate, null);
  assert.equal(pit.quotes.length, 4);
});

test('a fixed-price listing has no quote', () => {
  const pit = new Pit(fixedListing());
  pit.slots(1);
  pit.lock(5);
  pit.pass(30_000);
  assert.deepEqual(
    pit.events.map(({ type }) => type),
    ['admit'],
  );
});
