import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowOf } from './ports.ts';

const noonMs = Date.UTC(2026, 0, 2, 12);

test('a window is whole buckets, ends with the current bucket, and is as long as its range', () => {
  const table = [
    ['24h', 900_000, 1],
    ['7d', 3_600_000, 7],
    ['30d', 14_400_000, 30],
  ] as const;
  for (const [range, bucketMs, days] of table) {
    const { fromMs, toMs, ...rest } = windowOf(range, noonMs + 1);
    assert.deepEqual(rest, { bucketMs });
    assert.equal(toMs, noonMs + bucketMs, range);
    assert.equal(toMs - fromMs, days * 86_400_000);
  }
});

test('the first moment of a bucket belongs to it', () => {
  assert.equal(windowOf('24h', noonMs - 1).toMs, noonMs);
  assert.equal(windowOf('24h', noonMs).toMs, noonMs + 900_000);
});
