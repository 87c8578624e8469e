import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamSlots } from './request-rates.ts';

test('an address can hold a limited number of streams, independently of other addresses', () => {
  const slots = new StreamSlots(2);
  slots.take('a');
  const giveBack = slots.take('a');
  assert.throws(() => slots.take('a'), { code: 'rate_limit_error', status: 429, retryAfterS: null });
  slots.take('b');
  giveBack();
  slots.take('a');
  assert.throws(() => slots.take('a'), { code: 'rate_limit_error' });
});

test('a slot released twice counts once', () => {
  const slots = new StreamSlots(2);
  const giveBack = slots.take('a');
  slots.take('a');
  giveBack();
  giveBack();
  slots.take('a');
  assert.throws(() => slots.take('a'), { code: 'rate_limit_error' });
});
