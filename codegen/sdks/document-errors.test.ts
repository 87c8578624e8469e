import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorLists } from './document-errors.ts';

const TYPES = { rate_limit_error: 'Too many.', insufficient_quota: 'Too little.', timeout_error: 'Too late.' };
const CODES = {
  rate_limit_error: { status: 429, type: 'rate_limit_error', description: 'Slower.', retryable: true },
  key_budget_exceeded: { status: 402, type: 'insufficient_quota', description: 'Spent.', charged: false },
  order_expired: { status: 408, type: 'timeout_error', description: 'Waited.', charged: false },
};
const lists = errorLists({ components: { 'x-errors': { types: TYPES, codes: CODES } } });

describe('the errors of the clients', () => {
  it('are a class per code in the family of its type, or the family itself', () => {
    assert.deepEqual(
      (lists['x-errors'] as { name: string; base: string; isClass: boolean }[]).map(({ name, base, isClass }) => [
        name,
        base,
        isClass,
      ]),
      [
        ['RateLimit', 'RateLimit', false],
        ['KeyBudgetExceeded', 'InsufficientQuota', true],
        ['OrderExpired', 'Sluice', true],
      ],
    );
  });

  it('leave out a family whose name has another meaning in the clients', () => {
    const names = (lists['x-error-families'] as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(names, ['RateLimit', 'InsufficientQuota']);
    assert.deepEqual(lists['x-error-statuses'], [
      { status: 429, family: 'RateLimit' },
      { status: 402, family: 'InsufficientQuota' },
    ]);
  });

  it('say whether a repeat helps and whether nothing was charged', () => {
    assert.deepEqual(
      (lists['x-errors'] as { retryable: boolean; isUncharged: boolean }[]).map(({ retryable, isUncharged }) => [
        retryable,
        isUncharged,
      ]),
      [
        [true, false],
        [false, true],
        [false, true],
      ],
    );
  });
});
