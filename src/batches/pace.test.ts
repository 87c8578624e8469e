import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { keptFree, lineDeadlineMs, placesOf } from './pace.ts';

const NOW_MS = 1_000_000;
const HOUR_MS = 3_600_000;
const turn = (waiting: number, places: number, leftMs = HOUR_MS) =>
  lineDeadlineMs({ nowMs: NOW_MS, deadlineMs: NOW_MS + leftMs, waiting, places }) - NOW_MS;

test('lines that all find a place have all of the time', () => {
  assert.equal(turn(1, 4000), HOUR_MS);
  assert.equal(turn(4000, 4000), HOUR_MS);
});

test('with half of the lines outside, a line has half of the time', () => {
  assert.equal(turn(8000, 4000), HOUR_MS / 2);
  assert.equal(turn(10_000, 4000), HOUR_MS * 0.4);
});

test('the fewer lines are left, the more of the time each has, and never more than all of it', () => {
  const random = seededRandom(1);
  for (let round = 0; round < 1000; round++) {
    const places = 1 + Math.floor(random.next() * 5000);
    const waiting = 1 + Math.floor(random.next() * 10_000);
    const leftMs = Math.floor(random.next() * 30 * 24 * HOUR_MS);
    const [time, withOneMore] = [turn(waiting, places, leftMs), turn(waiting + 1, places, leftMs)];
    assert.ok(Number.isInteger(time) && time >= 0 && time <= leftMs, `${time} of ${leftMs}`);
    assert.ok(withOneMore <= time);
  }
});

test('a deadline that has passed gives no time', () => {
  assert.equal(turn(10, 1, -5), 0);
});

test('even where each line starts only at its own deadline, all become orders in time', () => {
  const random = seededRandom(2);
  for (let round = 0; round < 200; round++) {
    const lines = 1 + Math.floor(random.next() ** 2 * 10_000);
    const [places, leftMs] = [1 + Math.floor(random.next() ** 2 * 5000), Math.ceil(random.next() * 24 * HOUR_MS)];
    const lastMs = lastEntry(lines, places, leftMs);
    assert.ok(lastMs < leftMs || lines > leftMs, `${lines} lines at ${places} places: ${lastMs} of ${leftMs}`);
  }
});

test('of the places that a batch finds it leaves a fifth, and takes one at least', () => {
  for (let free = 1; free <= 5000; free += free < 20 ? 1 : 83) {
    let queued = 0;
    while (free - queued > keptFree(queued)) queued++;
    assert.equal(queued, Math.max(1, Math.floor(free * 0.8)), `of ${free}`);
    assert.equal(placesOf(0, free), queued);
    assert.equal(placesOf(queued, free - queued), queued);
  }
  assert.equal(placesOf(0, -7), 1);
});

/** When the last line becomes an order, in a market that starts none before its deadline. */
function lastEntry(lines: number, places: number, leftMs: number): number {
  const starts: number[] = [];
  let nowMs = 0;
  for (let outside = lines; outside > 0; outside--) {
    // Deadlines never go back, so the first that entered starts first.
    const entered = lines - outside;
    if (entered >= places) nowMs = starts[entered - places] ?? nowMs;
    const queued = Math.min(places - 1, entered);
    const byMs = lineDeadlineMs({ nowMs, deadlineMs: leftMs, waiting: queued + outside, places });
    assert.ok(byMs >= (starts.at(-1) ?? 0), 'a later line has no earlier deadline');
    starts.push(byMs);
  }
  return nowMs;
}
