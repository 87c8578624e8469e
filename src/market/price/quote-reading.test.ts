/** What one reading of a quote makes of the orders ahead, the arrivals, the pace of starts and chance. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lowest } from '#base/lowest.ts';
import { seededRandom } from '#base/random.ts';
import { CLAIM_PARTS, MarketAccount, MarketOrder } from '../book/market-order.ts';
import type { Rest } from '../ports.ts';
import { ArrivalRates } from './arrival-rates.ts';
import { DemandCurve } from './demand-curve.ts';
import { lowestPrice, Quote, type QuoteState, reliableCapacity } from './quote.ts';

const WINDOW_S = 10;
/** A burst is read by the rate of the last ten seconds. */
const RECENT_S = 10;

/** A quote over a market that the test controls. It is read ten times in the two seconds before the next window. */
class QuoteBench {
  readonly quote: Quote;
  ahead = (_price: number) => 0;
  freeSlots = 0;
  /** Starts per window. */
  starts = 0;
  most = Number.POSITIVE_INFINITY;
  nowMs = 0;
  #orders = 0;

  constructor({ promised = 0.95, correction = 0 } = {}) {
    const state: QuoteState = {
      calibration: { correction, resolvedMean: 0 },
      arrivals: [
        { atMs: 0, bins: [] },
        { atMs: 0, bins: [] },
      ],
    };
    const bench = this;
    const market = {
      standing: { atOrBetter: (price: number) => this.ahead(price) * CLAIM_PARTS },
      turnover: { claimsPerSecond: () => this.starts / WINDOW_S },
      clearing: { quoteMax: () => this.most, runs: { weigh: () => 0.5 }, level: { frozen: false } },
      pods: {
        get free() {
          return bench.freeSlots;
        },
      },
    };
    const settings = { intervalMs: 10_000, targetStartRate: promised, executeWindowMs: WINDOW_S * 1000 };
    const parts = { bounds: { floor: 0, ceiling: 1e12 }, random: seededRandom(1) };
    const recovered = { state, lockMinutes: [] };
    this.quote = new Quote({ settings, ...parts, ...market, latched: () => {}, recovered }, 0, 0);
  }

  /** A new order that is asked for in full. */
  comes(bid: number, more: Partial<Rest> & { readonly isNew?: boolean } = {}): MarketOrder {
    const order = this.rests(bid, more);
    this.quote.asks(order, 1, this.nowMs);
    return order;
  }

  /** An order that rests but does not count yet. */
  rests(bid: number, more: Partial<Rest> & { readonly isNew?: boolean } = {}): MarketOrder {
    const { isNew = true, ...fields } = more;
    const id = `${this.#orders++}`;
    const rest: Rest = {
      ...{ type: 'rest', model: 'tide', order: id, account: 'ann', bid, lockLimit: null },
      ...{ restedSeq: null, attempt: 1, avoidPod: null, house: false },
      ...fields,
    };
    const order = new MarketOrder(rest, new MarketAccount('ann'), this.#orders);
    order.claim = CLAIM_PARTS;
    this.quote.rests(order, rest, { isNew, nowMs: this.nowMs });
    return order;
  }

  /** The price of the next window. */
  price(): number {
    this.nowMs += 10_000;
    this.quote.count(this.nowMs);
    return this.quote.standing.price;
  }
}

/** The number of arrivals at one moment that read as `claims` a second before the next window. */
function arrivalsFor(claims: number): number {
  return Math.round((claims / WINDOW_S) * RECENT_S * Math.exp(9 / RECENT_S));
}

test('orders ahead at a price leave no room there, so the quote is above them', () => {
  const bench = new QuoteBench();
  bench.starts = 40;
  bench.ahead = (price) => (price <= 700 ? 39 : 3);
  assert.equal(bench.price(), 701);
});

test('a lock counts at its limit', () => {
  const bench = new QuoteBench({ promised: 0.5 });
  bench.starts = 30;
  for (let lock = 0; lock < arrivalsFor(40); lock++) bench.comes(500, { lockLimit: 1000 });
  const price = bench.price();
  assert.ok(price > 950 && price <= 1030, `${price}`);
});

test('an order that is not a lock counts at its bid', () => {
  const bench = new QuoteBench({ promised: 0.5 });
  bench.starts = 30;
  for (let order = 0; order < arrivalsFor(40); order++) bench.comes(500);
  const price = bench.price();
  assert.ok(price > 475 && price <= 515, `${price}`);
});

test('a repriced order counts only at its new price', () => {
  const bench = new QuoteBench({ promised: 0.5 });
  bench.starts = 10;
  for (let count = 0; count < arrivalsFor(20); count++) {
    const order = bench.comes(1000);
    order.price = 100;
    bench.quote.lowers(order, bench.nowMs);
  }
  const price = bench.price();
  assert.ok(price > 90 && price <= 103, `${price}`);
});

test('an order that counts again at the same price is no new arrival', () => {
  const [once, again] = [new QuoteBench({ promised: 0.5 }), new QuoteBench({ promised: 0.5 })];
  const priceOf = (bench: QuoteBench, isAgain: boolean) => {
    bench.starts = 20;
    const orders = Array.from({ length: 60 }, () => bench.comes(1000));
    const locks = Array.from({ length: 60 }, () => bench.comes(900, { lockLimit: 1000 }));
    bench.nowMs = 9000;
    for (const order of [...orders, ...locks]) if (isAgain) bench.quote.asks(order, 1, bench.nowMs);
    bench.nowMs = 0;
    bench.price();
    return bench.quote.state();
  };
  assert.deepEqual(priceOf(again, true), priceOf(once, false));
});

test('an order that rests counts as nothing until it is asked for at the level or starts', () => {
  const priceAfter = (then: (bench: QuoteBench, order: MarketOrder) => void) => {
    const bench = new QuoteBench();
    bench.starts = 4;
    for (let count = 0; count < 100; count++) then(bench, bench.rests(1000));
    return bench.price();
  };
  assert.equal(
    priceAfter(() => {}),
    0,
  );
  assert.equal(
    priceAfter((bench, order) => bench.quote.expires(order, bench.nowMs)),
    0,
  );
  assert.ok(priceAfter((bench, order) => bench.quote.asks(order, 1, bench.nowMs)) > 950);
  assert.ok(priceAfter((bench, order) => bench.quote.starts(order, bench.nowMs)) > 950);
});

test('of the rates of a minute and of ten seconds the larger counts', () => {
  const bench = new QuoteBench({ promised: 0.5 });
  bench.starts = 10;
  // Forty a window, for five minutes.
  for (let second = 0; second < 300; second++) {
    bench.nowMs = second * 1000;
    bench.quote.count(bench.nowMs);
    for (let count = 0; count < 4; count++) bench.comes(1000);
  }
  bench.nowMs = 290_000;
  // Half a minute after the last one the recent rate has forgotten them, and that of a minute has not.
  for (let window = 0; window < 4; window++) assert.ok(bench.price() > 950, `window ${window}`);
  for (let window = 0; window < 16; window++) bench.price();
  assert.equal(bench.quote.standing.price, 0);
});

test('a lock has the weight of its account, and calibrates only when its quote was read and above the floor', () => {
  const bench = new QuoteBench();
  const lock = () => bench.rests(500, { lockLimit: 1000 }).lock?.counted;
  assert.deepEqual(lock(), { weight: 0.5, scarce: true, calibrates: false, startedAtMs: null });
  bench.starts = 40;
  bench.ahead = (price) => (price <= 700 ? 39 : 3);
  bench.price();
  assert.deepEqual(lock(), { weight: 0.5, scarce: true, calibrates: true, startedAtMs: null });
  assert.equal(bench.rests(500, { lockLimit: 1000, isNew: false }).lock?.counted?.calibrates, false);
  bench.ahead = () => 0;
  assert.equal(bench.price(), 0);
  assert.equal(bench.quote.standing.calibrated, true);
  assert.equal(lock()?.calibrates, false);
});

test('orders that were withdrawn, never started, were requeued or are of the house do not count', () => {
  const bench = new QuoteBench();
  bench.starts = 4;
  for (let count = 0; count < 100; count++) {
    bench.quote.asks(bench.comes(1000), 0, bench.nowMs);
    const refused = bench.comes(1000);
    bench.quote.starts(refused, bench.nowMs);
    bench.quote.ends(refused, 0, bench.nowMs);
    bench.comes(1000, { isNew: false, attempt: 2, restedSeq: 1 });
    bench.comes(1000, { house: true });
  }
  assert.equal(bench.price(), 0);
});

test('an order that claimed a tenth of a slot counts as a tenth', () => {
  for (const [claimed, starts, isAbove] of [
    [0.1, 6, false],
    [0.1, 3, true],
    [1, 6, true],
  ] as const) {
    const bench = new QuoteBench({ promised: 0.5 });
    bench.starts = starts;
    for (let count = 0; count < arrivalsFor(50); count++) {
      const order = bench.comes(1000);
      bench.quote.starts(order, bench.nowMs);
      bench.quote.ends(order, claimed, bench.nowMs);
    }
    assert.equal(bench.price() > 950, isAbove, `${claimed} of a slot, ${starts} starts`);
  }
});

test('an order that was refused its slot stops counting once, whatever happens to it later', () => {
  const priceAfter = (again: (quote: Quote, order: MarketOrder) => void) => {
    const bench = new QuoteBench();
    bench.starts = 4;
    for (let count = 0; count < 20; count++) {
      bench.comes(1000);
      const parked = bench.comes(1000);
      bench.quote.starts(parked, bench.nowMs);
      bench.quote.ends(parked, 0, bench.nowMs);
      again(bench.quote, parked);
    }
    return bench.price();
  };
  const price = priceAfter(() => {});
  assert.ok(price > 950, `${price}`);
  assert.equal(
    priceAfter((quote, order) => quote.asks(order, 0, 0)),
    price,
  );
  assert.equal(
    priceAfter((quote, order) => quote.ends(order, 0.02, 0)),
    price,
  );
});

test('orders that started or expired do count', () => {
  for (const end of ['starts', 'expires'] as const) {
    const bench = new QuoteBench();
    bench.starts = 4;
    for (let count = 0; count < 100; count++) bench.quote[end](bench.comes(1000), bench.nowMs);
    assert.ok(bench.price() > 950, end);
  }
});

test('the correction reduces the expected starts but not the free slots', () => {
  const claims = 20;
  const priced = (correction: number, starts: number, freeSlots: number) => {
    const bench = new QuoteBench({ promised: 0.5, correction });
    Object.assign(bench, { starts, freeSlots });
    bench.ahead = (price) => (price < 9 ? claims : 0);
    return bench.price();
  };
  assert.equal(priced(0, 25, 0), 0);
  assert.equal(priced(1, 25, 0), 9);
  assert.equal(priced(1, 60, 0), 0);
  assert.equal(priced(2.5, 0, 21), 0);
});

test('chance is allowed for: no more is promised than the expected starts reliably cover', () => {
  for (const promised of [0.5, 0.9, 0.95, 0.99]) {
    const most = Math.floor(reliableCapacity(32, promised) + 1e-9);
    for (const [claims, price] of [
      [most, 0],
      [most + 1, 77],
    ] as const) {
      const bench = new QuoteBench({ promised });
      bench.starts = 32;
      bench.ahead = (at) => (at < 77 ? claims : 0);
      assert.equal(bench.price(), price, `${claims} claims at ${promised}`);
    }
  }
});

test('with room for less than one start the quote just outbids the book, and its locks do not calibrate', () => {
  const bench = new QuoteBench();
  bench.ahead = (price) => (price <= 640 ? 1 : 0);
  bench.starts = 0.9;
  assert.equal(bench.price(), 641);
  assert.equal(bench.quote.standing.calibrated, false);
  bench.starts = 1.1;
  bench.ahead = () => 0;
  assert.equal(bench.price(), 0);
  assert.equal(bench.quote.standing.calibrated, true);
});

test('an order counts by the part that is asked for, however often that is said', () => {
  const bench = new QuoteBench();
  const order = bench.rests(5);
  const weights = () => bench.quote.state().arrivals.map(({ bins }) => bins.map(([, weight]) => weight));
  for (const part of [0, 0.25, 0.25, 1]) {
    bench.quote.asks(order, part, 0);
    assert.deepEqual(weights(), part === 0 ? [[], []] : [[part], [part]]);
  }
  bench.quote.ends(order, 0.5, 0);
  bench.quote.asks(order, 1, 0);
  assert.deepEqual(weights(), [[0.5], [0.5]], 'it counts for good');
});

test('no window is quoted more than what was paid of late, and such a window teaches nothing', () => {
  const bench = new QuoteBench();
  bench.starts = 10;
  for (let order = 0; order < 60; order++) bench.comes(1000);
  const free = bench.price();
  bench.most = free - 100;
  assert.equal(bench.price(), free - 100);
});

test('the search finds the price that a search of all prices finds, and asks few', () => {
  const random = seededRandom(21);
  for (let story = 0; story < 400; story++) {
    const [demand, arrivals] = [new DemandCurve(), new ArrivalRates(60_000, 0)];
    const top = 10 ** (1 + 14 * random.next());
    const priceBelow = () => Math.floor(top * random.next() ** 3);
    for (let order = 0; order < 40; order++) {
      if (story % 3 !== 0) demand.add(priceBelow(), 1);
      if (story % 3 !== 1) arrivals.add(priceBelow(), 60, 0);
    }
    for (let reading = 0; reading < 20; reading++) {
      const room = 80 * random.next();
      let asked = 0;
      const fits = (price: number) => {
        asked++;
        return demand.atOrBetter(price) + arrivals.perSecondAbove(price, 0) <= room;
      };
      const high = Math.floor(top * (0.2 + random.next()));
      if (!fits(high)) continue;
      const expected = lowest(high, fits);
      asked = 0;
      assert.equal(lowestPrice(high, fits, priceBelow()), expected);
      assert.ok(asked <= 35 || (top > 1e12 && asked <= 85), `${asked} prices up to ${high}`);
      if (expected < 1000 || top > 1e12) continue;
      asked = 0;
      assert.equal(lowestPrice(high, fits, expected), expected);
      assert.ok(asked <= 8, `${asked} prices around ${expected}`);
    }
  }
});
