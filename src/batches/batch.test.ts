import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { deadlineMs, isBatchId, newBatchId } from './batch.ts';

test('an id is batch_ and 24 characters, and greater than those before it', () => {
  const ids = idSource(new ManualClock());
  const made = Array.from({ length: 5000 }, () => newBatchId(ids));
  for (const id of made) assert.match(id, /^batch_[0-9a-f]{24}$/);
  assert.deepEqual(made.toSorted(), made);
  assert.ok(isBatchId(made[0] ?? ''));
  for (const other of ['', 'batch_', 'batch_1', `batch_${'g'.repeat(24)}`, `${made[0]} `]) assert.ok(!isBatchId(other));
});

test('the deadline of a batch is a day unless its creator sets one, within the bounds of every wait', () => {
  const bounds = { min: 10, max: 1000 };
  assert.equal(deadlineMs(5, null, { min: 10, max: 2_592_000 }), 86_400_005);
  assert.equal(deadlineMs(5, 500, bounds), 500_005);
  assert.equal(deadlineMs(5, 1, bounds), 10_005);
  assert.equal(deadlineMs(5, 2000, bounds), 1_000_005);
});
