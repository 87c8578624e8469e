import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { waitAtMost } from './clock.ts';
import { normal, seededRandom, systemRandom } from './random.ts';

test('timers fire at their time, in order of time and then of when they were set', async () => {
  const clock = new ManualClock(0);
  const fired: string[] = [];
  const note = (name: string) => () => fired.push(`${name}@${clock.nowMs()}`);
  clock.after(20, note('late'));
  clock.after(10, note('first'));
  clock.after(10, note('second'));
  clock.after(5, note('canceled')).cancel();
  await clock.advance(15);
  assert.deepEqual(fired, ['first@10', 'second@10']);
  await clock.advance(5);
  assert.deepEqual(fired.at(-1), 'late@20');
  assert.equal(clock.pending, 0);
});

test('a timer set by a timer fires within the same advance if it is due', async () => {
  const clock = new ManualClock(0);
  const times: number[] = [];
  const again = () => {
    times.push(clock.nowMs());
    if (times.length < 5) clock.after(10, again);
  };
  clock.after(10, again);
  await clock.advance(45);
  assert.deepEqual(times, [10, 20, 30, 40]);
});

test('a delay with a fraction of a millisecond is rounded up, so that time stays whole', async () => {
  const clock = new ManualClock(0);
  let firedAtMs = 0;
  clock.after(2.25, () => {
    firedAtMs = clock.nowMs();
  });
  await clock.advance(10);
  assert.equal(firedAtMs, 3);
});

test('the same seed gives the same numbers, another seed different ones', () => {
  const draw = (seed: number) => Array.from({ length: 5 }, seededRandom(seed).next);
  assert.deepEqual(draw(1), draw(1));
  assert.notDeepEqual(draw(1), draw(2));
});

test('draws are within their ranges', () => {
  const random = seededRandom(3);
  const draws = Array.from({ length: 10_000 }, () => random.next());
  assert.ok([...draws, systemRandom.next()].every((draw) => draw >= 0 && draw < 1));
  const mean = Array.from({ length: 10_000 }, () => normal(random)).reduce((sum, draw) => sum + draw, 0) / 10_000;
  assert.ok(Math.abs(mean) < 0.05);
});

test('an answer is waited for at most so long, and leaves no timer', async () => {
  const clock = new ManualClock();
  assert.equal(await waitAtMost(clock, 1000, Promise.resolve(5)), 5);
  await assert.rejects(waitAtMost(clock, 1000, Promise.reject(new Error('no answer'))), /no answer/);
  const late = waitAtMost(clock, 1000, new Promise(() => {}));
  await clock.advance(1000);
  assert.equal(await late, null);
  assert.equal(clock.pending, 0);
});
