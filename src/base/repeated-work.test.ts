import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { RepeatedWork } from './clock.ts';

test('a round begins at each interval, not while the one before runs, and none after it is closed', async () => {
  const clock = new ManualClock(0);
  const ends: (() => void)[] = [];
  const work = new RepeatedWork(clock, 1_000, () => new Promise((resolve) => ends.push(resolve)));
  assert.equal(work.busy, false);
  await clock.advance(3_000);
  assert.deepEqual([ends.length, work.busy], [1, true]);
  ends[0]?.();
  await work.run();
  await clock.advance(1_000);
  assert.equal(ends.length, 2);
  let isClosed = false;
  const closing = work.close().then(() => {
    isClosed = true;
  });
  await clock.advance(5_000);
  assert.deepEqual([ends.length, isClosed], [2, false]);
  ends[1]?.();
  await closing;
});
