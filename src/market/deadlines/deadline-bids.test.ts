import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import type { MarketOdds } from '../estimates/odds.ts';
import { chanceWithin, startChances } from '../estimates/start-chance.ts';
import { chanceAt, type DeadlineOutlook, deadlineBid, type Rivals } from './deadline-bids.ts';
import { PastLevels, QUARTER_MS } from './past-levels.ts';

const USD = 1e9;
/** Noon. */
const NOW_MS = 20 * DAY_MS + 12 * HOUR_MS;
const NIGHT_USD = 0.1;

/** 64 slots with jobs of 20 seconds, 3.2 starts a second; orders below 1 USD come too often to start. */
function busy(changes: Partial<MarketOdds> = {}): MarketOdds {
  const point = (usd: number, outbid: number, ahead: number) => {
    return { price: usd * USD, ahead, outbid, outbidUsually: outbid, givingUp: 0 };
  };
  const points = [point(0, 5, 400), point(0.5, 4, 200), point(1, 3, 50), point(1.2, 2, 5), point(3, 0, 0)];
  return {
    atMs: NOW_MS,
    slots: 64,
    free: 0,
    reserve: 0,
    runMs: 20_000,
    burstiness: 1,
    points,
    corrections: [],
    reliability: [],
    ...changes,
  };
}

/** The level of two days: 1 USD by day, next to nothing from 20 to 4 o'clock. */
function daysAndNights(): PastLevels {
  const past = new PastLevels();
  for (let atMs = NOW_MS - 2 * DAY_MS; atMs < NOW_MS; atMs += QUARTER_MS) {
    const hour = (atMs % DAY_MS) / HOUR_MS;
    const level = hour >= 20 || hour < 4 ? NIGHT_USD * USD : USD;
    for (let second = 0; second < 60; second++) past.count(level, atMs + second * 1000);
  }
  return past;
}

const byDay: DeadlineOutlook = { odds: busy(), past: daysAndNights(), floor: 0 };
const unknown: DeadlineOutlook = { odds: busy(), past: new PastLevels(), floor: 0 };
const bidOf = (outlook: DeadlineOutlook, hours: number, rivals: readonly Rivals[] = []) =>
  (deadlineBid(outlook, { timeLeftMs: hours * HOUR_MS, rivals }) ?? Number.NaN) / USD;

test('an order that may wait for the night bids what the night takes', () => {
  const bid = bidOf(byDay, 10);
  assert.ok(bid > NIGHT_USD && bid < 1.2 * NIGHT_USD, `${bid}`);
});

test('an order that must start by day, or without a past to go by, bids what the market takes', () => {
  for (const bid of [bidOf(byDay, 6), bidOf(unknown, 10)]) assert.equal(bid, 1);
});

test('the night counts only up to a last safe moment before the deadline', () => {
  assert.equal(bidOf(byDay, 8.25), 1);
  assert.ok(bidOf(byDay, 8.5) < 0.2);
});

test('the nearer the deadline, the more is bid; beyond what any price can do there is none', () => {
  assert.equal(bidOf(unknown, 1 / 60), 1.2);
  assert.equal(deadlineBid(unknown, { timeLeftMs: 0, rivals: [] }), null);
  assert.equal(deadlineBid({ ...unknown, odds: busy({ slots: 0 }) }, { timeLeftMs: HOUR_MS, rivals: [] }), null);
});

test('a price that is pushed for a while raises no bid of an order that waits for the night', () => {
  const pushed = { ahead: 10_000, outbid: 100, outbidUsually: 100 };
  const points = busy().points.map((point) => (point.price === 3 * USD ? point : { ...point, ...pushed }));
  assert.equal(bidOf({ ...byDay, odds: busy({ points }) }, 12), bidOf(byDay, 12));
});

test('a day that is dearer than those before lets less be hoped for', () => {
  const past = daysAndNights();
  for (const quarters of [2, 1])
    for (let second = 0; second < 60; second++)
      past.count(1.6 * USD, NOW_MS + (2 - quarters) * QUARTER_MS + second * 1000);
  const odds = busy({ atMs: NOW_MS + 2 * QUARTER_MS });
  const bid = bidOf({ ...byDay, odds, past }, 10);
  assert.ok(bid > 1.5 * NIGHT_USD && bid < 2 * NIGHT_USD, `${bid}`);
});

test('more orders than the night starts bid more than the night takes', () => {
  const crowd = (orders: number) => bidOf(byDay, 9, [{ bid: 0.1 * USD, upTo: () => orders }]);
  assert.ok(crowd(100) < 0.2);
  assert.ok(crowd(5_000) > 0.9);
});

test('those with less time are ahead, whatever they bid until then', () => {
  assert.equal(bidOf(unknown, 0.1), 1.2);
  assert.equal(bidOf(unknown, 0.1, [{ bid: 0, upTo: () => 500 }]), 3);
});

test('those who may never bid as much are not ahead, however many they are', () => {
  const cheap = (limit: number): Rivals => ({ bid: 0, upTo: (price) => (price <= limit * USD ? 5_000 : 0) });
  assert.equal(bidOf(unknown, 0.1, [cheap(0.9)]), bidOf(unknown, 0.1));
  assert.equal(bidOf(byDay, 9, [cheap(0.05)]), bidOf(byDay, 9));
  assert.ok(bidOf(byDay, 9, [cheap(1)]) > bidOf(byDay, 9));
});

test('where slots are free the floor is bid, and nothing below the reserve', () => {
  assert.equal(bidOf({ ...unknown, odds: busy({ free: 401 }), floor: 0.2 * USD }, 1), 0.2);
  assert.equal(bidOf({ ...unknown, odds: busy({ free: 401, reserve: 0.5 * USD }) }, 1), 0.5);
});

test('while nobody knows how long orders run, only a free slot is certain', () => {
  const odds = busy({ runMs: null });
  assert.equal(deadlineBid({ ...unknown, odds }, { timeLeftMs: HOUR_MS, rivals: [] }), null);
  assert.ok(bidOf({ ...byDay, odds }, 10) < 0.2);
});

test('the formula is near the walk where rates stay and nobody gives up', () => {
  const odds = busy();
  for (const [at, point] of odds.points.entries()) {
    for (const seconds of [10, 60, 300]) {
      const { ahead, outbid, outbidUsually, givingUp } = point;
      const queueing = { ahead, outbid, outbidUsually, givingUp, free: 0, served: 3.2, burstiness: 1 };
      const walk = chanceWithin(startChances(queueing, 600), seconds);
      const formula = chanceAt(odds, at, { timeLeftMs: seconds * 1000, rivals: [] }) ?? Number.NaN;
      assert.ok(Math.abs(walk - formula) < 0.1, `at ${point.price / USD} within ${seconds} s: ${walk}, ${formula}`);
    }
  }
});
