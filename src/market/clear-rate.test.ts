import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLEAR_RATE_WINDOW_MS, ClearRate } from './clear-rate.ts';

function counted(started: number, missed: number, atMs = 0): ClearRate {
  const rate = new ClearRate();
  for (let lock = 0; lock < started; lock++) rate.started(atMs);
  for (let lock = 0; lock < missed; lock++) rate.missed(atMs);
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
  rate.takeBack(0);
  assert.equal(rate.rate(70_000), 0.9);
});

test('changed minutes are returned once, with their full counts', () => {
  const rate = counted(2, 1, 61_000);
  rate.missed(125_000);
  assert.deepEqual(rate.takeChanged(), [
    { minuteMs: 60_000, started: 2, missed: 1 },
    { minuteMs: 120_000, started: 0, missed: 1 },
  ]);
  assert.deepEqual(rate.takeChanged(), []);
  rate.started(61_500);
  assert.deepEqual(rate.takeChanged(), [{ minuteMs: 60_000, started: 3, missed: 1 }]);
});

test('the rate continues from stored minutes', () => {
  const rate = new ClearRate([{ minuteMs: 0, started: 27, missed: 2 }]);
  rate.missed(30_000);
  assert.equal(rate.rate(30_000), 0.9);
});
