import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLEAR_RATE_WINDOW_MS, ClearRate } from './clear-rate.ts';

function counted(started: number, missed: number, atMs = 0): ClearRate {
  const rate = new ClearRate();
  for (let lock = 0; lock < started; lock++) rate.started(atMs, 1);
  for (let lock = 0; lock < missed; lock++) rate.missed(atMs, 1);
  return rate;
}

test('below thirty locks there is no rate', () => {
  assert.equal(counted(29, 0).rate(0), null);
  assert.equal(counted(27, 3).rate(0), 0.9);
});

test('a lock stops counting after a day', () => {
  const rate = counted(27, 3);
  assert.equal(rate.rate(CLEAR_RATE_WINDOW_MS - 1), 0.9);
  assert.equal(rate.rate(CLEAR_RATE_WINDOW_MS), null);
});

test('a start that is taken back stops counting, in the minute in which it was counted', () => {
  const rate = counted(28, 3);
  rate.takeBack(0, 1);
  assert.equal(rate.rate(70_000), 0.9);
});

test('weighted locks are counted as whole ones, and what is left of one is kept for the next', () => {
  const rate = new ClearRate();
  for (let lock = 0; lock < 11; lock++) {
    rate.started(0, 0.25);
    rate.missed(61_000, 0.5);
  }
  rate.started(61_000, 0.25);
  assert.deepEqual(rate.takeChanged(), [
    { minuteMs: 60_000, started: 1, missed: 5 },
    { minuteMs: 0, started: 2, missed: 0 },
  ]);
});

test('a weighted start that is taken back takes no more than it gave', () => {
  const rate = new ClearRate();
  for (let lock = 0; lock < 12; lock++) rate.started(0, 0.25);
  for (let lock = 0; lock < 4; lock++) rate.takeBack(0, 0.25);
  assert.deepEqual(rate.takeChanged(), [{ minuteMs: 0, started: 2, missed: 0 }]);
  rate.started(0, 0.75);
  assert.deepEqual(rate.takeChanged(), []);
});

test('changed minutes are returned once, with their full counts', () => {
  const rate = counted(2, 1, 61_000);
  rate.missed(125_000, 1);
  assert.deepEqual(rate.takeChanged(), [
    { minuteMs: 60_000, started: 2, missed: 1 },
    { minuteMs: 120_000, started: 0, missed: 1 },
  ]);
  assert.deepEqual(rate.takeChanged(), []);
  rate.started(61_500, 1);
  assert.deepEqual(rate.takeChanged(), [{ minuteMs: 60_000, started: 3, missed: 1 }]);
});

test('the rate continues from stored minutes', () => {
  const rate = new ClearRate([{ minuteMs: 0, started: 27, missed: 2 }]);
  rate.missed(30_000, 1);
  assert.equal(rate.rate(30_000), 0.9);
});
