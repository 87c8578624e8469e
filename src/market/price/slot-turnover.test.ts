import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlotTurnover } from './slot-turnover.ts';

const promise = { target: 0.95, windowMs: 10_000 };

/** A market whose slots are always busy, with jobs of this length that end one after the other, evenly spread. */
function busy(slots: number, jobMs: number, forMs: number, turnover = new SlotTurnover(promise, 0)): SlotTurnover {
  for (let slot = 0; slot < slots; slot++) turnover.starts();
  const everyMs = jobMs / slots;
  for (let nowMs = everyMs; nowMs <= forMs; nowMs += everyMs) {
    turnover.count(slots, nowMs);
    turnover.ends(jobMs);
    turnover.starts();
  }
  turnover.count(slots, forMs);
  return turnover;
}

test('the target is attainable if slots come free 0.3 times a second, whatever their number', () => {
  for (const [slots, jobMs, attainable] of [
    [64, 20_000, true],
    [64, 600_000, false],
    [8, 20_000, true],
    [6, 20_000, true],
    [5, 20_000, false],
    [512, 1_600_000, true],
    [512, 1_800_000, false],
    [1, 100, true],
    [1, 3000, true],
    [1, 4000, false],
  ] as const) {
    assert.equal(busy(slots, jobMs, 7_200_000).attainable(slots), attainable, `${slots} slots, ${jobMs} ms`);
  }
});

test('nothing is said before thirty orders have ended, or would have to have ended', () => {
  assert.equal(new SlotTurnover(promise, 0).attainable(8), null);
  assert.equal(busy(64, 20_000, 9000).attainable(64), null);
  assert.equal(busy(64, 20_000, 10_000).attainable(64), true);
  assert.equal(busy(1, 600_000, 120_000).attainable(1), null);
  assert.equal(busy(1, 600_000, 125_000).attainable(1), false);
  assert.equal(busy(64, 20_000, 20_000).attainable(0), null);
});

test('an idle market keeps what it knew, and a market that is used in part is judged by what its slots could do', () => {
  const turnover = busy(8, 20_000, 600_000);
  for (let slot = 0; slot < 8; slot++) turnover.ends(20_000);
  turnover.count(8, 864_000_000);
  assert.equal(turnover.attainable(8), true);
  const half = new SlotTurnover(promise, 0);
  for (let at = 0; at < 4; at++) half.starts();
  for (let nowMs = 5000; nowMs <= 600_000; nowMs += 5000) {
    half.count(8, nowMs);
    half.ends(20_000);
    half.starts();
  }
  assert.equal(half.attainable(8), true);
});

test('when all jobs become long the judgement follows, the later the more often slots came free before', () => {
  const turnover = busy(64, 20_000, 1_200_000);
  assert.equal(turnover.attainable(64), true);
  for (let second = 1; second <= 800; second++) turnover.count(64, 1_200_000 + 1000 * second);
  assert.equal(turnover.attainable(64), false);
});

test('it is the same however often the time is counted, and slots that were lost count at once', () => {
  const [once, often] = [new SlotTurnover(promise, 0), new SlotTurnover(promise, 0)];
  for (const turnover of [once, often]) for (let at = 0; at < 3; at++) turnover.starts();
  for (let nowMs = 10; nowMs < 900_000; nowMs += 10) often.count(4, nowMs);
  once.count(4, 900_000);
  often.count(4, 900_000);
  assert.ok(Math.abs(once.state().heldMs / often.state().heldMs - 1) < 1e-9);
  const turnover = busy(16, 20_000, 600_000);
  assert.deepEqual([turnover.attainable(16), turnover.attainable(1)], [true, false]);
});

test('a clock that steps back counts nothing, and time without a healthy pod does not either', () => {
  const turnover = busy(8, 20_000, 600_000);
  const before = turnover.state();
  turnover.count(8, 0);
  turnover.count(0, 60_000);
  assert.deepEqual(turnover.state(), before);
});

test('a flood of single tokens does not make slots look quick, and a clock that stepped back not slow', () => {
  const [flooded, backwards] = [busy(64, 600_000, 600_000), busy(64, 20_000, 600_000)];
  for (let order = 0; order < 600 * 4; order++) flooded.ends(20);
  assert.equal(flooded.attainable(64), false);
  const before = backwards.state().ended;
  backwards.ends(-5000);
  assert.equal(backwards.state().ended, before + 1);
});

test('it continues from its state', () => {
  const turnover = busy(64, 20_000, 600_000);
  const again = new SlotTurnover(promise, 700_000, turnover.state());
  assert.deepEqual(again.state(), turnover.state());
  assert.equal(again.attainable(64), true);
});

test('slots come free as often as orders end that run, each by what it claims, also where only some slots are held', () => {
  const close = (actual: number, expected: number) => assert.ok(Math.abs(actual / expected - 1) < 0.07, `${actual}`);
  const turnover = busy(8, 20_000, 600_000);
  close(turnover.claimsPerSecond(), 8 / 20);
  for (let slot = 0; slot < 6; slot++) turnover.ends(20_000);
  close(turnover.claimsPerSecond(), 2 / 20);
  assert.equal(new SlotTurnover(promise, 0).claimsPerSecond(), 0);
});

test('where no order has ended, a slot is expected to come free after twenty seconds, and later the longer they run', () => {
  const turnover = new SlotTurnover(promise, 0);
  for (let slot = 0; slot < 4; slot++) turnover.starts();
  assert.equal(turnover.claimsPerSecond(), 4 / 20);
  turnover.count(4, 3_600_000);
  assert.ok(turnover.claimsPerSecond() < 0.005, `${turnover.claimsPerSecond()}`);
});
