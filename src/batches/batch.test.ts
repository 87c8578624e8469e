import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { idSource } from '#base/id.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { batchTimes, isBatchId, newBatchId } from './batch.ts';

test('an id is batch_ and 24 characters, and greater than those before it', () => {
  const ids = idSource(new ManualClock());
  const made = Array.from({ length: 5000 }, () => newBatchId(ids));
  for (const id of made) assert.match(id, /^batch_[0-9a-f]{24}$/);
  assert.deepEqual(made.toSorted(), made);
  assert.ok(isBatchId(made[0] ?? ''));
  for (const other of ['', 'batch_', 'batch_1', `batch_${'g'.repeat(24)}`, `${made[0]} `]) assert.ok(!isBatchId(other));
});

const bounds = { min: 10, max: 1000 };

test('a batch expires after a day unless its creator says otherwise, within the bounds of every wait', () => {
  const expiry = (maxWaitS: number | null, range = bounds) =>
    batchTimes(5, { maxWaitS, deadline: null }, range).expiresAtMs;
  assert.equal(expiry(null, { min: 10, max: 2_592_000 }), 86_400_005);
  assert.equal(expiry(500), 500_005);
  assert.equal(expiry(1), 10_005);
  assert.equal(expiry(2000), 1_000_005);
  assert.equal(batchTimes(5, { maxWaitS: 500, deadline: null }, bounds).deadlineMs, null);
});

test('a batch with a deadline expires at it', () => {
  const times = (deadline: { inS: number } | { atMs: number }) => batchTimes(5, { maxWaitS: 500, deadline }, bounds);
  assert.deepEqual(times({ inS: 60 }), { expiresAtMs: 60_005, deadlineMs: 60_005 });
  assert.deepEqual(times({ atMs: 60_000 }), { expiresAtMs: 60_000, deadlineMs: 60_000 });
  assert.deepEqual(times({ inS: 500 }), { expiresAtMs: 500_005, deadlineMs: 500_005 });
  assert.equal(times({ inS: 1 }).deadlineMs, 10_005);
});

test('a deadline must lie ahead and within the window', () => {
  for (const [maxWaitS, deadline, named] of [
    [500, { inS: 501 }, /within the window of the batch, 500 seconds; max_wait/],
    [500, { atMs: 500_006 }, /within the window of the batch, 500 seconds; max_wait/],
    [null, { atMs: 5 }, /must lie ahead/],
    [500, { atMs: 6 + 2_592_000_000 }, /must lie ahead/],
  ] as const)
    assert.throws(
      () => batchTimes(5, { maxWaitS, deadline }, bounds),
      (error) =>
        error instanceof Fault &&
        error.code === 'invalid_request' &&
        error.param === 'deadline' &&
        named.test(error.message),
    );
});
