import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { ArrivalRates } from './arrival-rates.ts';

const close = (actual: number, expected: number, part: number) =>
  assert.ok(Math.abs(actual - expected) <= part * expected + 1e-12, `${actual} is not near ${expected}`);

test('a steady stream reads as its rate after a few minutes', () => {
  const rates = new ArrivalRates(60_000, 0);
  for (let ms = 0; ms < 600_000; ms += 100) rates.add(2e9, 1, ms);
  close(rates.perSecondAbove(1e9, 600_000), 10, 0.01);
});

test('a price is above all lower bins, and a price within its own bin counts that bin in full', () => {
  const rates = new ArrivalRates(60_000, 0);
  rates.add(1e9, 60, 0);
  assert.equal(rates.perSecondAbove(0.99e9, 0), 1);
  assert.equal(rates.perSecondAbove(1e9, 0), 1);
  assert.equal(rates.perSecondAbove(1.04e9, 0), 0);
});

test('a price of 0 is below every other, and the highest limit has a bin', () => {
  const rates = new ArrivalRates(60_000, 0);
  for (const price of [0, 1, 1e18]) rates.add(price, 60, 0);
  assert.deepEqual([rates.perSecondAbove(0, 0), rates.perSecondAbove(1, 0), rates.perSecondAbove(1e18, 0)], [2, 1, 1]);
});

test('removing an arrival leaves nothing behind, however long ago it was added', () => {
  const rates = new ArrivalRates(60_000, 0);
  rates.add(5, 60, 0);
  rates.add(5, 60, 30_000);
  rates.adjust(5, -60, 0);
  close(rates.perSecondAbove(0, 90_000), Math.exp(-1), 1e-9);
  rates.adjust(5, -60, 30_000);
  assert.ok(rates.perSecondAbove(0, 90_000) < 1e-12);
});

test('arrivals decay, even over hours, and a backward clock step does not decay them', () => {
  const rates = new ArrivalRates(60_000, 0);
  rates.add(5, 60, 0);
  close(rates.perSecondAbove(0, 60_000), Math.exp(-1), 1e-9);
  close(rates.perSecondAbove(0, 0), Math.exp(-1), 1e-9);
  rates.add(5, 60, 86_400_000);
  close(rates.perSecondAbove(0, 86_400_000), 1, 1e-9);
});

test('after the clock steps back arrivals decay as before and can be taken back', () => {
  const rates = new ArrivalRates(60_000, 0);
  rates.add(5, 60, 3_600_000);
  rates.add(7, 60, 0);
  close(rates.perSecondAbove(0, 60_000), 2 * Math.exp(-1), 1e-9);
  rates.adjust(5, -60, 3_600_000);
  assert.ok(rates.perSecondAbove(0, 60_000) <= Math.exp(-1) * (1 + 1e-9));
  close(rates.perSecondAbove(6, 60_000), Math.exp(-1), 1e-9);
});

test('an arrival that claims more or less than expected is adjusted by what is left of the difference', () => {
  const rates = new ArrivalRates(60_000, 0);
  rates.add(5, 30, 0);
  rates.add(7, 60, 60_000);
  rates.adjust(5, 30, 0);
  close(rates.perSecondAbove(0, 60_000), 1 + Math.exp(-1), 1e-9);
  rates.adjust(7, -90, 60_000);
  close(rates.perSecondAbove(0, 60_000), Math.exp(-1), 1e-9);
});

test('a shorter time constant reads a change sooner and forgets it sooner', () => {
  const [steady, recent] = [new ArrivalRates(60_000, 0), new ArrivalRates(10_000, 0)];
  for (let ms = 0; ms < 10_000; ms += 10) for (const rates of [steady, recent]) rates.add(5, 1, ms);
  close(steady.perSecondAbove(0, 10_000), 100 * (1 - Math.exp(-1 / 6)), 0.01);
  close(recent.perSecondAbove(0, 10_000), 100 * (1 - Math.exp(-1)), 0.01);
  close(recent.perSecondAbove(0, 40_000), 100 * (1 - Math.exp(-1)) * Math.exp(-3), 0.01);
});

test('rates restored from their state continue unchanged', () => {
  const random = seededRandom(3);
  const one = new ArrivalRates(60_000, 0);
  for (let ms = 0; ms < 60_000; ms += 10) one.add(Math.floor(random.next() * 1e10), 1, ms);
  const two = new ArrivalRates(60_000, 90_000, JSON.parse(JSON.stringify(one.stored())));
  for (const price of [0, 1e9, 5e9, 9.9e9])
    close(two.perSecondAbove(price, 90_000), one.perSecondAbove(price, 90_000), 1e-3);
});

test('of more than 600 steps of prices the heaviest are stored, and nothing is left out where there are fewer', () => {
  const rates = new ArrivalRates(60_000, 0);
  for (let step = 0; step < 600; step++) rates.add(1.031 ** (step + 100), 2, 0);
  assert.deepEqual(rates.stored(), rates.state());
  for (let step = 600; step < 1200; step++) rates.add(1.031 ** (step + 100), step % 2 ? 1 : 3, 0);
  const { bins } = rates.stored();
  assert.deepEqual([bins.length, bins.filter(([, weight]) => weight === 3).length], [600, 300]);
  assert.ok(bins.every(([, weight]) => weight >= 2));
});

test('the rates match a count of every arrival, to the width of a bin', () => {
  const random = seededRandom(5);
  const rates = new ArrivalRates(60_000, 0);
  const arrivals: [price: number, atMs: number][] = [];
  for (let ms = 0; ms < 300_000; ms += 50) {
    const price = Math.round(Math.exp(random.next() * 30));
    rates.add(price, 1, ms);
    arrivals.push([price, ms]);
  }
  const rate = (above: number) =>
    arrivals.reduce((sum, [price, ms]) => sum + (price > above ? Math.exp((ms - 300_000) / 60_000) : 0), 0) / 60;
  for (const price of [0, 10, 1e4, 1e8, 1e12]) {
    const read = rates.perSecondAbove(price, 300_000);
    assert.ok(read >= rate(price * 1.0001) - 1e-9 && read <= rate(price / 1.031 - 1) + 1e-9, `${price}: ${read}`);
  }
});
