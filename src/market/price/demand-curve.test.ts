import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { DemandCurve } from './demand-curve.ts';

const CEILING = 100e9;

test('an empty curve has no weight and no price', () => {
  const curve = new DemandCurve(CEILING);
  assert.deepEqual([curve.total, curve.atOrBetter(0), curve.priceAt(0)], [0, 0, null]);
});

test('the price at a place is that of the first bid with which the weight exceeds it', () => {
  const curve = new DemandCurve(CEILING);
  for (const [price, weight] of [
    [9e9, 1],
    [8e9, 0.5],
    [7e9, 0.5],
    [5, 2],
  ] as const)
    curve.add(price, weight);
  assert.deepEqual(
    [0, 0.99, 1, 1.49, 1.5, 2, 3.99, 4, 5].map((place) => curve.priceAt(place)),
    [9e9, 9e9, 8e9, 8e9, 7e9, 5, 5, null, null],
  );
  assert.deepEqual(
    [CEILING, 9e9, 8e9, 7e9, 6e9, 5, 0].map((price) => curve.atOrBetter(price)),
    [0, 1, 1.5, 2, 2, 4, 4],
  );
});

test('every price below a thousand nano-dollars has a place of its own', () => {
  const curve = new DemandCurve(CEILING);
  for (let price = 0; price <= 1000; price++) curve.add(price, 1);
  for (let place = 0; place <= 1000; place++) {
    assert.equal(curve.priceAt(place), 1000 - place);
    assert.equal(curve.atOrBetter(place), 1001 - place);
  }
});

test('bids in one bin have their mean price, by weight', () => {
  const curve = new DemandCurve(CEILING);
  curve.add(1_000_000_000, 1);
  curve.add(1_000_000_400, 0.25);
  assert.equal(curve.priceAt(0), 1_000_000_080);
  curve.remove(1_000_000_000, 1);
  assert.equal(curve.priceAt(0), 1_000_000_400);
});

test('bids above the ceiling are bids of it', () => {
  const curve = new DemandCurve(CEILING);
  curve.add(1e18, 1);
  assert.deepEqual([curve.priceAt(0), curve.atOrBetter(CEILING), curve.atOrBetter(1e18)], [CEILING, 1, 1]);
  curve.add(CEILING, 1);
  assert.equal(curve.priceAt(1), CEILING);
  curve.remove(1e18, 1);
  assert.deepEqual([curve.total, curve.priceAt(0)], [1, CEILING]);
});

test('the smallest ceiling leaves one price', () => {
  const curve = new DemandCurve(0);
  curve.add(7, 1);
  assert.deepEqual([curve.priceAt(0), curve.priceAt(1), curve.atOrBetter(3)], [0, null, 1]);
});

/** Bids in a list: what a curve whose every price were exact would answer. */
class Model {
  readonly bids: { price: number; parts: number }[] = [];

  atOrBetter(price: number): number {
    return this.bids.reduce((sum, bid) => sum + (bid.price >= price ? bid.parts : 0), 0) / 256;
  }

  priceAt(place: number): number | null {
    let sum = 0;
    for (const { price, parts } of this.bids.toSorted((a, b) => b.price - a.price)) {
      sum += parts;
      if (sum / 256 > place) return price;
    }
    return null;
  }
}

test('after any adds and removes the curve answers as a sorted list, exactly where prices are apart', () => {
  const random = seededRandom(11);
  const curve = new DemandCurve(CEILING);
  const model = new Model();
  // Half a per cent apart, so that no two share a bin.
  const prices = Array.from({ length: 400 }, (_, index) => Math.round(1e8 * 1.005 ** index));
  for (let step = 0; step < 4000; step++) {
    const isAdded = model.bids.length === 0 || random.next() < (step < 2500 ? 0.55 : 0.4);
    if (isAdded) {
      const bid = { price: prices[Math.floor(random.next() * 400)] ?? 0, parts: 1 + Math.floor(random.next() * 256) };
      model.bids.push(bid);
      curve.add(bid.price, bid.parts / 256);
    } else {
      const [bid] = model.bids.splice(Math.floor(random.next() * model.bids.length), 1);
      if (bid) curve.remove(bid.price, bid.parts / 256);
    }
    const price = prices[Math.floor(random.next() * 400)] ?? 0;
    assert.equal(curve.atOrBetter(price), model.atOrBetter(price));
    const place = random.next() * curve.total * 1.05;
    assert.equal(curve.priceAt(place), model.priceAt(place));
  }
  for (const { price, parts } of model.bids) curve.remove(price, parts / 256);
  assert.deepEqual([curve.total, curve.atOrBetter(0), curve.priceAt(0)], [0, 0, null]);
});

test('where prices share bins, an answer is off by a tenth of a per cent at most', () => {
  const random = seededRandom(12);
  const curve = new DemandCurve(CEILING);
  const model = new Model();
  for (let bid = 0; bid < 2000; bid++) {
    const price = Math.round(Math.exp(random.next() * 25));
    model.bids.push({ price, parts: 256 });
    curve.add(price, 1);
  }
  for (let place = 0; place < 2000; place += 7) {
    const [read, exact] = [curve.priceAt(place) ?? 0, model.priceAt(place) ?? 0];
    assert.ok(Math.abs(read - exact) <= exact * 0.001, `${read} at ${place}, not ${exact}`);
    const weight = curve.atOrBetter(exact);
    assert.ok(weight >= model.atOrBetter(exact) && weight <= model.atOrBetter(exact / 1.001));
  }
});
