import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { every } from './clock.ts';

test('it runs at the multiples of the interval until it is canceled', async () => {
  const clock = new ManualClock(1_000_300);
  const ranAtMs: number[] = [];
  const timer = every(clock, 1000, () => void ranAtMs.push(clock.nowMs()));
  await clock.advance(2700);
  assert.deepEqual(ranAtMs, [1_001_000, 1_002_000, 1_003_000]);
  timer.cancel();
  await clock.advance(5000);
  assert.equal(ranAtMs.length, 3);
  assert.equal(clock.pending, 0);
});
