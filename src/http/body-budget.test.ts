/** The budget of bodies that are read at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { BodyBudget, type BodyShare } from './body-budget.ts';

/** Asks for a share, and says later whether it was given. */
function asked(budget: BodyBudget, bytes: number) {
  const state: { share: BodyShare | null; code: unknown } = { share: null, code: null };
  budget.take(bytes).then(
    (share) => {
      state.share = share;
    },
    (error) => {
      state.code = error.code;
    },
  );
  return state;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('shares are given in turn, as far as the budget goes', async () => {
  const budget = new BodyBudget(100, new ManualClock());
  const first = asked(budget, 60);
  const second = asked(budget, 60);
  const small = asked(budget, 10);
  await turn();
  assert.deepEqual([first.share !== null, second.share, small.share], [true, null, null]);
  first.share?.release();
  first.share?.release();
  await turn();
  assert.deepEqual([second.share !== null, small.share !== null, budget.free], [true, true, 30]);
});

test('a body above the whole budget is read alone', async () => {
  const budget = new BodyBudget(100, new ManualClock());
  const large = asked(budget, 1000);
  await turn();
  assert.equal(budget.free, 0);
  large.share?.release();
  assert.equal(budget.free, 100);
});

test('a request whose turn does not come is refused, and leaves the line', async () => {
  const clock = new ManualClock();
  const budget = new BodyBudget(100, clock);
  const holder = asked(budget, 100);
  await turn();
  holder.share?.arrived();
  const late = asked(budget, 100);
  await clock.advance(20_001);
  await turn();
  assert.equal(late.code, 'unavailable');
  holder.share?.release();
  assert.equal(budget.free, 100);
});

test('a slow body keeps its share while nobody waits, and loses it to those that do', async () => {
  const clock = new ManualClock();
  const budget = new BodyBudget(100, clock);
  const slow = asked(budget, 100);
  await clock.advance(60_000);
  assert.equal(slow.share?.signal.aborted, false);
  const waiting = asked(budget, 100);
  await clock.advance(10_001);
  assert.equal(slow.share?.signal.reason.code, 'unavailable');
  slow.share?.release();
  await turn();
  assert.ok(waiting.share);
});
