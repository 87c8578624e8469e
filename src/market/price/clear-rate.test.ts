import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLEAR_RATE_WINDOW_MS, ClearRate } from './clear-rate.ts';

const idle = { weight: 1, scarce: false };
const scarce = { weight: 1, scarce: true };
const weighing = (weight: number) => ({ weight, scarce: false });

function counted(started: number, missed: number, { atMs = 0, lock = idle } = {}): ClearRate {
  const rate = new ClearRate();
  for (let count = 0; count < started; count++) rate.count('started', atMs, lock);
  for (let count = 0; count < missed; count++) rate.count('missed', atMs, lock);
  return rate;
}

test('below thirty locks there is no rate', () => {
  assert.equal(counted(29, 0).rates(0).all, null);
  assert.equal(counted(27, 3).rates(0).all, 0.9);
});

test('locks that were quoted more than the lowest level have a rate of their own, with a floor of its own', () => {
  const rate = counted(20, 9, { lock: scarce });
  for (let count = 0; count < 71; count++) rate.count('started', 0, idle);
  assert.deepEqual(rate.rates(0), { all: 0.91, scarce: null });
  rate.count('missed', 0, scarce);
  assert.deepEqual(rate.rates(0), { all: 91 / 101, scarce: 20 / 30 });
  rate.count('started', 0, { ...scarce, weight: -1 });
  rate.count('started', 0, scarce);
  rate.count('missed', 61_000, idle);
  assert.deepEqual(rate.takeChanged(), [
    { minuteMs: 0, started: 91, missed: 10, scarceStarted: 20, scarceMissed: 10 },
    { minuteMs: 60_000, started: 0, missed: 1, scarceStarted: 0, scarceMissed: 0 },
  ]);
});

test('a lock stops counting after a day', () => {
  const rate = counted(27, 3, { lock: scarce });
  assert.deepEqual(rate.rates(CLEAR_RATE_WINDOW_MS - 1), { all: 0.9, scarce: 0.9 });
  assert.deepEqual(rate.rates(CLEAR_RATE_WINDOW_MS), { all: null, scarce: null });
});

test('a start that is taken back stops counting, in the minute in which it was counted', () => {
  const rate = counted(28, 3);
  rate.count('started', 0, weighing(-1));
  assert.equal(rate.rates(70_000).all, 0.9);
});

test('weighted locks are counted as whole ones, and what is left of one is kept for the next', () => {
  const rate = new ClearRate();
  for (let lock = 0; lock < 11; lock++) {
    rate.count('started', 0, weighing(0.25));
    rate.count('missed', 61_000, weighing(0.5));
  }
  rate.count('started', 61_000, weighing(0.25));
  assert.partialDeepStrictEqual(rate.takeChanged(), [
    { minuteMs: 60_000, started: 1, missed: 5 },
    { minuteMs: 0, started: 2, missed: 0 },
  ]);
});

test('a weighted start that is taken back takes no more than it gave', () => {
  const rate = new ClearRate();
  for (let lock = 0; lock < 12; lock++) rate.count('started', 0, weighing(0.25));
  for (let lock = 0; lock < 4; lock++) rate.count('started', 0, weighing(-0.25));
  assert.partialDeepStrictEqual(rate.takeChanged(), [{ minuteMs: 0, started: 2, missed: 0 }]);
  rate.count('started', 0, weighing(0.75));
  assert.deepEqual(rate.takeChanged(), []);
});

test('changed minutes are returned once, with their full counts', () => {
  const rate = counted(2, 1, { atMs: 61_000 });
  rate.count('missed', 125_000, idle);
  assert.partialDeepStrictEqual(rate.takeChanged(), [
    { minuteMs: 60_000, started: 2, missed: 1 },
    { minuteMs: 120_000, started: 0, missed: 1 },
  ]);
  assert.deepEqual(rate.takeChanged(), []);
  rate.count('started', 61_500, idle);
  assert.partialDeepStrictEqual(rate.takeChanged(), [{ minuteMs: 60_000, started: 3, missed: 1 }]);
});

test('the rates continue from stored minutes', () => {
  const rate = new ClearRate([{ minuteMs: 0, started: 57, missed: 12, scarceStarted: 27, scarceMissed: 2 }]);
  rate.count('missed', 30_000, scarce);
  assert.deepEqual(rate.rates(30_000), { all: 57 / 70, scarce: 0.9 });
});
