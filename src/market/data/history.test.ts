import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candleStretch, historyStretch, rangeNamed } from './history.ts';

const NOW_MS = Date.UTC(2026, 2, 5, 12, 34, 56, 789);

test('a range that is not served is 24h', () => {
  assert.deepEqual(['1h', '24h', '7d', '30d', '2h', '', 'toString', null].map(rangeNamed), [
    '1h',
    '24h',
    '7d',
    '30d',
    '24h',
    '24h',
    '24h',
    '24h',
  ]);
});

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

test('a candle has the widest allowed width up to the wanted one, else the smallest', () => {
  const width = (wantedS: number) => candleStretch('24h', wantedS, NOW_MS).bucketS;
  assert.deepEqual([60, 299, 300, 3599, 7200, 1e9].map(width), [60, 60, 300, 1800, 7200, 7200]);
  assert.deepEqual([0, -5, 59.9, Number.NaN].map(width), [60, 60, 60, 60]);
});
