import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { CEILING_MAX } from '../listing.ts';
import { DemandCurve, PriceBins } from './demand-curve.ts';

test('the weight at a price or better is that of all bids there, and of none in an empty curve', () => {
  const curve = new DemandCurve();
  assert.equal(curve.atOrBetter(0), 0);
  for (const [price, weight] of [
    [9e9, 2],
    [8e9, 1],
    [7e9, 1],
    [5, 4],
  ] as const)
    curve.add(price, weight);
  assert.deepEqual(
    [CEILING_MAX, 9e9, 8e9, 7e9, 6e9, 5, 0].map((price) => curve.atOrBetter(price)),
    [0, 2, 3, 4, 4, 8, 8],
  );
});

test('every price below a thousand nano-dollars has a place of its own', () => {
  const curve = new DemandCurve();
  for (let price = 0; price <= 1000; price++) curve.add(price, 1);
  for (let price = 0; price <= 1000; price++) assert.equal(curve.atOrBetter(price), 1001 - price);
});

test('bids above the highest ceiling are bids of it', () => {
  const curve = new DemandCurve();
  curve.add(1e18, 1);
  assert.deepEqual([curve.atOrBetter(CEILING_MAX), curve.atOrBetter(1e18)], [1, 1]);
  curve.add(1e18, -1);
  assert.equal(curve.atOrBetter(0), 0);
});

test('a coarser curve counts a bid from a tenth above its price downwards', () => {
  const curve = new DemandCurve(new PriceBins(1.1), 1.1e18);
  for (const price of [0, 1e9, 2e9, 1e18]) curve.add(price, 1);
  curve.add(2e9, -1);
  assert.deepEqual(
    [0, 1e9, 2e9, 1e18].map((price) => curve.atOrBetter(price)),
    [3, 2, 1, 1],
  );
});

/** The weight of a list of bids: what a curve whose every price were exact would answer. */
const weightOf = (bids: readonly { price: number; parts: number }[], least: number) =>
  bids.reduce((sum, { price, parts }) => sum + (price >= least ? parts : 0), 0);

test('after any adds and removes the curve answers as a list, exactly where prices are apart', () => {
  const random = seededRandom(11);
  const curve = new DemandCurve();
  const bids: { price: number; parts: number }[] = [];
  // Half a per cent apart, so that no two share a bin.
  const prices = Array.from({ length: 400 }, (_, index) => Math.round(1e8 * 1.005 ** index));
  for (let step = 0; step < 4000; step++) {
    const isAdded = bids.length === 0 || random.next() < (step < 2500 ? 0.55 : 0.4);
    if (isAdded) {
      const bid = { price: prices[Math.floor(random.next() * 400)] ?? 0, parts: 1 + Math.floor(random.next() * 256) };
      bids.push(bid);
      curve.add(bid.price, bid.parts);
    } else {
      const [bid] = bids.splice(Math.floor(random.next() * bids.length), 1);
      if (bid) curve.add(bid.price, -bid.parts);
    }
    const price = prices[Math.floor(random.next() * 400)] ?? 0;
    assert.equal(curve.atOrBetter(price), weightOf(bids, price));
  }
  for (const { price, parts } of bids) curve.add(price, -parts);
  assert.equal(curve.atOrBetter(0), 0);
});

test('where prices share bins, an answer is off by a tenth of a per cent of the price at most', () => {
  const random = seededRandom(12);
  const curve = new DemandCurve();
  const bids = Array.from({ length: 2000 }, () => ({ price: Math.round(Math.exp(random.next() * 25)), parts: 1 }));
  for (const { price } of bids) curve.add(price, 1);
  for (const { price } of bids) {
    const weight = curve.atOrBetter(price);
    assert.ok(weight >= weightOf(bids, price) && weight <= weightOf(bids, price / 1.001));
  }
});
