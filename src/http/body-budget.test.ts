/** The budget of bodies that are read at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { BodyBudget, type BodyShare } from './body-budget.ts';

/** Asks for a share, and says later whether it was given. */
function asked(budget: BodyBudget, bytes: number, account = 'one') {
  const state: { share: BodyShare | null; code: unknown } = { share: null, code: null };
  budget.take(bytes, account).then(
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
  const shares = [asked(budget, 40), asked(budget, 40), asked(budget, 40)];
  const given = () => shares.map(({ share }) => share !== null);
  await turn();
  assert.deepEqual([given(), budget.free], [[true, false, false], 60]);
  shares[0]?.share?.release();
  shares[0]?.share?.release();
  await turn();
  assert.deepEqual([given(), budget.free], [[true, true, false], 60]);
});

test('an account holds as much as it leaves free, and who sends less finds room', async () => {
  const budget = new BodyBudget(100, new ManualClock());
  const greedy = Array.from({ length: 10 }, () => asked(budget, 20, 'greedy'));
  const other = [asked(budget, 20, 'other'), asked(budget, 20, 'other')];
  const modest = asked(budget, 5, 'modest');
  await turn();
  assert.equal(greedy.filter(({ share }) => share).length, 2);
  assert.equal(other.filter(({ share }) => share).length, 1);
  assert.ok(modest.share);
  modest.share?.release();
  greedy[0]?.share?.release();
  await turn();
  assert.equal(greedy.filter(({ share }) => share).length, 3);
  assert.equal(other.filter(({ share }) => share).length, 1);
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
  await clock.advance(60_001);
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
