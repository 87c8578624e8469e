import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyStretch } from './market-ranges.ts';

const NOW_MS = Date.UTC(2026, 2, 5, 12, 34, 56, 789);

test('each range holds about two thousand aligned buckets, and the last one contains now', () => {
  for (const [range, bucketS] of [
    ['1h', 2],
    ['24h', 45],
    ['7d', 300],
    ['30d', 1320],
  ] as const) {
    const stretch = historyStretch(range, NOW_MS);
    assert.equal(stretch.bucketS, bucketS);
    assert.equal(stretch.fromS % bucketS, 0);
    assert.ok(stretch.toS * 1000 > NOW_MS && (stretch.toS - bucketS) * 1000 <= NOW_MS);
    const buckets = (stretch.toS - stretch.fromS) / bucketS;
    assert.ok(buckets >= 1800 && buckets <= 2020, `${range}: ${buckets}`);
  }
});
