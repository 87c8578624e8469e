import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '#base/time.ts';
import { DAY_QUARTERS, PastLevels, QUARTER_MS, quarterOf } from './past-levels.ts';

const START_MS = 20 * DAY_MS;

/** So many seconds at this level. */
function pass(past: PastLevels, level: number, { fromMs, seconds }: { fromMs: number; seconds: number }): void {
  for (let second = 0; second < seconds; second++) past.count(level, fromMs + second * 1000);
}

test('the low of a quarter is the lowest mean of a minute in it, so a dip of seconds is none', () => {
  const past = new PastLevels();
  pass(past, 10, { fromMs: START_MS, seconds: 110 });
  pass(past, 0, { fromMs: START_MS + 110_000, seconds: 10 });
  assert.equal(past.low(quarterOf(START_MS)), (50 * 10) / 60);
  pass(past, 4, { fromMs: START_MS + 120_000, seconds: 60 });
  assert.equal(past.low(quarterOf(START_MS)), 4);
});

test('a quarter is expected to be as low as on the dearer of the two days before, however far ahead it is', () => {
  const past = new PastLevels();
  const nowMs = START_MS + 2 * DAY_MS;
  pass(past, 3, { fromMs: START_MS, seconds: 60 });
  pass(past, 2, { fromMs: START_MS + DAY_MS, seconds: 60 });
  for (const days of [1, 2, 29]) assert.equal(past.expected(quarterOf(nowMs) + days * DAY_QUARTERS, nowMs), 3);
  assert.equal(past.expected(quarterOf(nowMs) + 1, nowMs), null);
});

test('two days are kept, and stored and read again as they are', () => {
  const past = new PastLevels();
  for (let quarter = 0; quarter < 3 * DAY_QUARTERS; quarter++)
    pass(past, quarter, { fromMs: START_MS + quarter * QUARTER_MS, seconds: 60 });
  assert.equal(past.low(quarterOf(START_MS)), null);
  const stored = JSON.parse(JSON.stringify(past.state()));
  assert.equal(stored.lows.length, 2 * DAY_QUARTERS);
  const again = new PastLevels(stored);
  for (let quarter = 0; quarter < 3 * DAY_QUARTERS; quarter++) {
    const number = quarterOf(START_MS) + quarter;
    assert.equal(again.low(number), past.low(number));
  }
  assert.deepEqual(again.state(), past.state());
});

test('a gap is unknown, and a clock that steps back does no harm', () => {
  const past = new PastLevels();
  pass(past, 5, { fromMs: START_MS, seconds: 60 });
  pass(past, 6, { fromMs: START_MS + 2 * QUARTER_MS, seconds: 60 });
  assert.equal(past.low(quarterOf(START_MS) + 1), null);
  pass(past, 7, { fromMs: START_MS - MINUTE_MS, seconds: 60 });
  assert.equal(past.low(quarterOf(START_MS)), 5);
  assert.deepEqual(new PastLevels().state(), { last: 0, lows: [] });
});
