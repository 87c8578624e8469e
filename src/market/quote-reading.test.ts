/** What one reading of a quote makes of the orders ahead, of those who come, of the pace of starts and of chance. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { MarketAccount, MarketOrder } from './market-order.ts';
import type { Rest } from './ports.ts';
import { Quote, type QuoteState } from './quote.ts';
import { sureClaims } from './sure-claims.ts';

const WINDOW_S = 10;
const FADE_S = 60;

/** A quote over a market that the test makes up. It is read ten times between `nowMs` and the next window. */
class Made {
  readonly quote: Quote;
  ahead = (_price: number) => 0;
  best: number | null = null;
  freeSlots = 0;
  /** Starts in a window. */
  starts = 0;
  nowMs = 0;
  #orders = 0;

  constructor({ promised = 0.95, correction = 0 } = {}) {
    const state: QuoteState = {
      calibration: { correction, resolvedMean: 0 },
      arrivals: { atMs: 0, bins: [] },
      pace: { starts: { sum: 0, atMs: 0 }, claims: { sum: 0, atMs: 0 } },
    };
    const market = {
      ahead: (price: number) => this.ahead(price),
      best: () => this.best,
      freeSlots: () => this.freeSlots,
      claimRate: () => this.starts / WINDOW_S,
      frozen: () => false,
    };
    const settings = { intervalMs: 10_000, targetStartRate: promised, executeWindowMs: WINDOW_S * 1000 };
    const bounds = { floor: 0, ceiling: 1e12, random: seededRandom(1) };
    const recovered = { state, lockMinutes: [] };
    this.quote = new Quote({ settings, ...bounds, market, latched: () => {}, recovered }, 0, 0);
  }

  comes(bid: number, more: Partial<Rest> & { readonly isNew?: boolean } = {}): MarketOrder {
    const { isNew = true, ...fields } = more;
    const id = `${this.#orders++}`;
    const rest: Rest = {
      ...{ type: 'rest', model: 'tide', order: id, account: 'ann', bid, lockLimit: null },
      ...{ restedSeq: null, attempt: 1, avoidPod: null, house: false },
      ...fields,
    };
    const order = new MarketOrder(rest, new MarketAccount('ann'), this.#orders);
    this.quote.arrives(order, rest, { isNew, nowMs: this.nowMs });
    return order;
  }

  /** The price of the next window. */
  price(): number {
    this.nowMs += 10_000;
    this.quote.count(this.nowMs);
    return this.quote.standing.price;
  }
}

/** How many arrivals at one moment are read as `claims` in the middle of the window after. */
function arrivalsFor(claims: number): number {
  return Math.round((claims / WINDOW_S) * FADE_S * Math.exp(5 / FADE_S));
}

test('orders ahead at a price leave no room there, and the quote goes above them', () => {
  const made = new Made();
  made.starts = 40;
  made.ahead = (price) => (price <= 700 ? 39 : 3);
  assert.equal(made.price(), 701);
});

test('a lock counts by its limit and half', () => {
  for (const [starts, quoted] of [
    [30, 0],
    [10, 1000],
  ] as const) {
    const made = new Made({ promised: 0.5 });
    made.starts = starts;
    for (let lock = 0; lock < arrivalsFor(40); lock++) made.comes(500, { lockLimit: 1000 });
    const price = made.price();
    assert.ok(quoted === 0 ? price === 0 : price > 950 && price <= 1030, `${price} with ${starts} starts`);
  }
});

test('an order that is no lock counts whole, by its bid', () => {
  const made = new Made({ promised: 0.5 });
  made.starts = 30;
  for (let order = 0; order < arrivalsFor(40); order++) made.comes(500);
  const price = made.price();
  assert.ok(price > 475 && price <= 515, `${price}`);
});

test('an order repriced counts at its new price alone', () => {
  const made = new Made({ promised: 0.5 });
  made.starts = 10;
  for (let count = 0; count < arrivalsFor(20); count++) {
    const order = made.comes(1000);
    order.price = 100;
    made.quote.repriced(order, made.nowMs);
  }
  const price = made.price();
  assert.ok(price > 90 && price <= 103, `${price}`);
});

test('what was taken back, never started, came back after a failure or is of the house does not count', () => {
  const made = new Made();
  made.starts = 4;
  for (let count = 0; count < 100; count++) {
    made.quote.goes(made.comes(1000));
    const refused = made.comes(1000);
    made.quote.starts(refused, made.nowMs);
    made.quote.ends(refused, 0);
    made.comes(1000, { isNew: false, attempt: 2, restedSeq: 1 });
    made.comes(1000, { house: true });
  }
  assert.equal(made.price(), 0);
});

test('an order that claimed a tenth of a slot counts as a tenth', () => {
  for (const [claimed, starts, isAbove] of [
    [0.1, 6, false],
    [0.1, 3, true],
    [1, 6, true],
  ] as const) {
    const made = new Made({ promised: 0.5 });
    made.starts = starts;
    for (let count = 0; count < arrivalsFor(50); count++) {
      const order = made.comes(1000);
      made.quote.starts(order, made.nowMs);
      made.quote.ends(order, claimed);
    }
    assert.equal(made.price() > 950, isAbove, `${claimed} of a slot, ${starts} starts`);
  }
});

test('an order that was refused its slot is taken back once, whatever becomes of it', () => {
  const priceAfter = (again: (quote: Quote, order: MarketOrder) => void) => {
    const made = new Made();
    made.starts = 4;
    for (let count = 0; count < 20; count++) {
      made.comes(1000);
      const parked = made.comes(1000);
      made.quote.starts(parked, made.nowMs);
      made.quote.ends(parked, 0);
      again(made.quote, parked);
    }
    return made.price();
  };
  const price = priceAfter(() => {});
  assert.ok(price > 950, `${price}`);
  assert.equal(
    priceAfter((quote, order) => quote.goes(order)),
    price,
  );
  assert.equal(
    priceAfter((quote, order) => quote.ends(order, 0.02)),
    price,
  );
});

test('what started or ran out of time does count', () => {
  for (const end of ['starts', 'expires'] as const) {
    const made = new Made();
    made.starts = 4;
    for (let count = 0; count < 100; count++) made.quote[end](made.comes(1000), made.nowMs);
    assert.ok(made.price() > 950, end);
  }
});

test('the correction takes its part of the starts, and none of the free slots', () => {
  const claims = 20;
  const priced = (correction: number, starts: number, freeSlots: number) => {
    const made = new Made({ promised: 0.5, correction });
    Object.assign(made, { starts, freeSlots });
    made.ahead = (price) => (price < 9 ? claims : 0);
    return made.price();
  };
  assert.equal(priced(0, 25, 0), 0);
  assert.equal(priced(1, 25, 0), 9);
  assert.equal(priced(1, 60, 0), 0);
  assert.equal(priced(2.5, 0, 21), 0);
});

test('chance is allowed for: no more is promised than so many starts are sure to cover', () => {
  for (const promised of [0.5, 0.9, 0.95, 0.99]) {
    const most = Math.floor(sureClaims(32, promised) + 1e-9);
    for (const [claims, price] of [
      [most, 0],
      [most + 1, 77],
    ] as const) {
      const made = new Made({ promised });
      made.starts = 32;
      made.ahead = (at) => (at < 77 ? claims : 0);
      assert.equal(made.price(), price, `${claims} claims at ${promised}`);
    }
  }
});

test('with less room than one start the quote is the lowest price with nothing ahead, and its locks teach nothing', () => {
  const made = new Made();
  made.best = 640;
  made.starts = 0.9;
  assert.equal(made.price(), 641);
  assert.equal(made.quote.standing.calibrated, false);
  made.starts = 1.1;
  assert.equal(made.price(), 0);
  assert.equal(made.quote.standing.calibrated, true);
});
