import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { budgetAt, budgetLeft, budgetResets, type KeyBudget, periodEnd, periodStart } from './key-budget.ts';
import { DAY_MS } from './time.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const BUDGET: KeyBudget = { amount: 100n, reset: 'month', fromMs: at('2026-11-01T00:00:00'), spent: 30n, held: 20n };

test('periods begin at midnight UTC, weeks on Monday, months on their first day', () => {
  // A Sunday, a second before midnight, and the Monday after it.
  const [sunday, monday] = [at('2026-11-29T23:59:59'), at('2026-11-30T00:00:00')];
  assert.equal(periodStart('day', sunday), at('2026-11-29T00:00:00'));
  assert.equal(periodStart('week', sunday), at('2026-11-23T00:00:00'));
  assert.equal(periodStart('week', monday), monday);
  assert.equal(periodStart('month', monday), at('2026-11-01T00:00:00'));
  assert.equal(periodStart('month', at('2028-02-29T12:00:00')), at('2028-02-01T00:00:00'));
  assert.equal(periodStart('never', monday), 0);
});

test('a period never begins after its moment, and moments follow it in their order', () => {
  const moments = fc.integer({ min: 0, max: at('2100-01-01T00:00:00') });
  fc.assert(
    fc.property(fc.constantFrom(...budgetResets), moments, moments, (reset, one, other) => {
      const [first, second] = [Math.min(one, other), Math.max(one, other)];
      const start = periodStart(reset, first);
      assert.ok(start <= first && start % DAY_MS === 0);
      assert.ok(start <= periodStart(reset, second));
      assert.equal(periodStart(reset, start), start);
      const end = periodEnd(reset, first);
      if (end === null) assert.equal(reset, 'never');
      else assert.deepEqual([end > first, periodStart(reset, end), periodStart(reset, end - 1)], [true, end, start]);
    }),
    { seed: 1 },
  );
});

test('nothing is spent or held in a new period; in the same one all of it is', () => {
  assert.deepEqual(budgetAt(BUDGET, at('2026-11-30T23:59:59')), BUDGET);
  const next = budgetAt(BUDGET, at('2026-12-01T00:00:00'));
  assert.deepEqual(next, { ...BUDGET, fromMs: at('2026-12-01T00:00:00'), spent: 0n, held: 0n });
});

test('a clock that was set back does not begin an earlier period', () => {
  assert.equal(budgetAt(BUDGET, at('2026-10-31T23:59:59')), BUDGET);
});

test('what is left counts charges and not holds', () => {
  assert.equal(budgetLeft(BUDGET, at('2026-11-05T00:00:00')), 70n);
  assert.equal(budgetLeft(BUDGET, at('2026-12-05T00:00:00')), 100n);
  assert.equal(budgetLeft({ ...BUDGET, amount: 10n }, at('2026-11-05T00:00:00')), -20n);
  assert.equal(budgetLeft({ ...BUDGET, amount: null }, at('2026-11-05T00:00:00')), null);
});
