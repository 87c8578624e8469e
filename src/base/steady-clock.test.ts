import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock, steadyClock } from './clock.ts';

/** A clock that the test sets. */
function settable(startMs: number) {
  const wall = { ms: startMs };
  return { wall, clock: { nowMs: () => wall.ms, monotonicMs: () => 0, after: () => ({ cancel() {} }) } };
}

test('it is the clock itself while that goes forward, in whatever steps', () => {
  const { wall, clock } = settable(1000);
  const steady = steadyClock(clock, 500);
  assert.equal(steady.nowMs(), 1000);
  for (const ms of [1001, 1001, 5000, 3_605_000]) {
    wall.ms = ms;
    assert.equal(steady.nowMs(), ms);
  }
});

test('after a step back time goes on, a little slower, until the clock has caught up', () => {
  const { wall, clock } = settable(10_000);
  const steady = steadyClock(clock, 0);
  wall.ms = 9000;
  assert.equal(steady.nowMs(), 10_000);
  wall.ms = 10_000;
  assert.equal(steady.nowMs(), 10_900);
  wall.ms = 19_000;
  assert.equal(steady.nowMs(), 19_000);
  wall.ms = 20_000;
  assert.equal(steady.nowMs(), 20_000);
});

test('it starts no earlier than what was written', () => {
  const { wall, clock } = settable(1000);
  const steady = steadyClock(clock, 61_000);
  assert.equal(steady.nowMs(), 61_000);
  wall.ms = 2000;
  assert.equal(steady.nowMs(), 61_900);
});

test('it never goes back, whatever the clock does', () => {
  const { wall, clock } = settable(0);
  const steady = steadyClock(clock, 0);
  let last = steady.nowMs();
  for (const ms of [10, 5, 7, 6, 1_000_000, 3, 4, 5, 999_999, 1_000_001, 1_000_000]) {
    wall.ms = ms;
    const nowMs = steady.nowMs();
    assert.ok(Number.isInteger(nowMs) && nowMs >= last);
    last = nowMs;
  }
});

test('it follows what happened elsewhere a moment ahead, and not a clock that is wrong', () => {
  const { wall, clock } = settable(10_000);
  const steady = steadyClock(clock, 0);
  steady.follow(10_400);
  assert.equal(steady.nowMs(), 10_400);
  steady.follow(9_000);
  assert.equal(steady.nowMs(), 10_400);
  steady.follow(11_401);
  assert.equal(steady.nowMs(), 10_400);
  wall.ms = 10_100;
  assert.equal(steady.nowMs(), 10_490);
});

test('a clock is set by another one, but not by less than the round trip can tell', () => {
  const { wall, clock } = settable(10_000);
  const set = setClock(clock);
  set.set(300, 20);
  assert.equal(set.nowMs(), 9_700);
  set.set(309, 20);
  assert.equal(set.nowMs(), 9_700);
  set.set(-250, 20);
  wall.ms = 10_001;
  assert.equal(set.nowMs(), 10_251);
});
