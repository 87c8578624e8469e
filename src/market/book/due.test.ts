import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueBy } from './young-bids.ts';

test('what is due is due at its time, and not before', () => {
  assert.deepEqual([dueBy(1499, 1500, 500), dueBy(1500, 1500, 500), dueBy(9000, 1500, 500)], [null, 1500, 1500]);
  assert.equal(dueBy(9000, undefined, 500), null);
});

test('after the clock stepped back, what is due too far in the future is due now', () => {
  assert.deepEqual([dueBy(10_000, 10_500, 500), dueBy(9999, 10_500, 500)], [null, 9999]);
});
