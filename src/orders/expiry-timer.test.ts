import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { ExpiryTimer } from './expiry-timer.ts';

test('items fall due in the order of their times, in whatever order they were set', async () => {
  const clock = new ManualClock(0);
  const due: number[] = [];
  const timer = new ExpiryTimer<number>(clock, (item) => due.push(item));
  const random = seededRandom(7);
  const times = Array.from({ length: 500 }, () => 1 + Math.floor(random.next() * 1000));
  for (const [item, dueMs] of times.entries()) timer.set(item, dueMs);
  await clock.advance(1000);
  assert.deepEqual(
    due.map((item) => times[item]),
    [...times].sort((a, b) => a - b),
  );
});

test('a deleted item never falls due, and a moved one only at its new time', async () => {
  const clock = new ManualClock(0);
  const due: string[] = [];
  const timer = new ExpiryTimer<string>(clock, (item) => due.push(`${item}@${clock.nowMs()}`));
  timer.set('gone', 10);
  timer.set('moved', 10);
  timer.delete('gone');
  timer.set('moved', 30);
  await clock.advance(100);
  assert.deepEqual(due, ['moved@30']);
});

for (const [way, stepMs, stillWaitsMs] of [
  ['forward', HOUR_MS, 0],
  ['back', -HOUR_MS, 2 * HOUR_MS - 1],
] as const) {
  test(`an item falls due at its date after the clock was set an hour ${way}, within a minute`, async () => {
    const clock = new ManualClock(0);
    const due: string[] = [];
    const timer = new ExpiryTimer<string>(clock, (item) => due.push(item));
    timer.set('in an hour', HOUR_MS);
    clock.step(stepMs);
    await clock.advance(stillWaitsMs);
    assert.deepEqual(due, []);
    await clock.advance(60_000);
    assert.deepEqual(due, ['in an hour']);
    timer.close();
  });
}

test('a wait of thirty days works although machine timers are shorter', async () => {
  const clock = new ManualClock(0);
  const due: string[] = [];
  const timer = new ExpiryTimer<string>(clock, (item) => due.push(item));
  timer.set('late', 30 * DAY_MS);
  await clock.advance(30 * DAY_MS - 1);
  assert.deepEqual(due, []);
  await clock.advance(1);
  assert.deepEqual(due, ['late']);
});
