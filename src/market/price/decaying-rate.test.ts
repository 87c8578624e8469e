import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecayingRate } from './clearing.ts';

test('a steady stream reads as its rate', () => {
  const rate = new DecayingRate(60_000, 0);
  for (let nowMs = 0; nowMs <= 600_000; nowMs += 100) rate.add(1, nowMs);
  assert.ok(Math.abs(rate.perSecond(600_000) - 10) < 0.02);
});

test('events decay by 63 % in one time constant', () => {
  const rate = new DecayingRate(60_000, 0);
  rate.add(60, 0);
  assert.equal(rate.perSecond(0), 1);
  assert.ok(Math.abs(rate.perSecond(60_000) - Math.exp(-1)) < 1e-12);
});

test('events counted a moment ago can be taken back, but no more than those', () => {
  const rate = new DecayingRate(60_000, 0);
  rate.add(2, 0);
  rate.add(-1, 0);
  assert.equal(rate.perSecond(0), 1 / 60);
  rate.add(-5, 0);
  assert.equal(rate.perSecond(0), 0);
});

test('a clock that steps back decays nothing', () => {
  const rate = new DecayingRate(60_000, 1000);
  rate.add(60, 1000);
  assert.equal(rate.perSecond(0), 1);
});
