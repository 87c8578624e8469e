import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineBudget } from './line-submitter.ts';

/** Whether a promise has resolved by now. */
async function isResolved(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<boolean>((no) => setImmediate(() => no(false)))]);
}

test('as many lines are taken as the limits on lines and bytes allow', async () => {
  const budget = new LineBudget({ linesMax: 2, bytesMax: 10 });
  await budget.take(9);
  const second = budget.take(2);
  assert.equal(await isResolved(second), false);
  budget.give(9);
  assert.equal(await isResolved(second), true);
  await budget.take(2);
  const third = budget.take(0);
  assert.equal(await isResolved(third), false);
  budget.give(2);
  assert.equal(await isResolved(third), true);
});

test('a line larger than the limit on bytes is taken alone', async () => {
  const budget = new LineBudget({ linesMax: 2, bytesMax: 10 });
  await budget.take(99);
  const next = budget.take(1);
  assert.equal(await isResolved(next), false);
  budget.give(99);
  assert.equal(await isResolved(next), true);
});

test('empty waits until every line is given back', async () => {
  const budget = new LineBudget({ linesMax: 2, bytesMax: 10 });
  assert.equal(await isResolved(budget.empty()), true);
  await budget.take(1);
  const empty = budget.empty();
  assert.equal(await isResolved(empty), false);
  budget.give(1);
  assert.equal(await isResolved(empty), true);
});
