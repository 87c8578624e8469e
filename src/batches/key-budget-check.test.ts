import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { keyBudgetCheck } from './key-budget-check.ts';

const batch = { keyId: 'key', keyBudgeted: false };

test('a budget that a key got since counts within a second, and for good', async () => {
  const clock = new ManualClock(1_000_000);
  let asked = 0;
  let has = false;
  const keyHasBudget = async () => {
    asked++;
    return has;
  };
  const check = keyBudgetCheck(batch, { keyHasBudget }, clock);
  assert.deepEqual(await Promise.all([check(), check()]), [false, false]);
  has = true;
  assert.equal(await check(), false);
  assert.equal(asked, 1);
  await clock.advance(1_000);
  assert.equal(await check(), true);
  has = false;
  await clock.advance(60_000);
  assert.equal(await check(), true);
  assert.equal(asked, 2);
});

test('a look-up that fails is repeated by the next line', async () => {
  const answers = [Promise.reject(new Error('planted')), Promise.resolve(true)];
  const check = keyBudgetCheck(batch, { keyHasBudget: async () => answers.shift() ?? false }, new ManualClock(0));
  await assert.rejects(check(), /planted/);
  assert.equal(await check(), true);
});

test('a batch of no key, and one whose key had a budget before, are not looked up', async () => {
  const store = { keyHasBudget: () => assert.fail('it was looked up') };
  const clock = new ManualClock(0);
  assert.equal(await keyBudgetCheck({ ...batch, keyId: null }, store, clock)(), false);
  assert.equal(await keyBudgetCheck({ ...batch, keyBudgeted: true }, store, clock)(), true);
});
