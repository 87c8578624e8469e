import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { RunCounts } from './run-counts.ts';

const run = { waitMs: 100, bidOverLevel: 1.1, firstTokenMs: 200, tokensPerSecond: 50 };

test('percentiles are right to six per cent, from a millisecond to weeks', () => {
  const random = seededRandom(3);
  const counts = new RunCounts();
  const values = Array.from({ length: 5_000 }, () => 1 + Math.floor(10 ** (random.next() * 9)));
  for (const firstTokenMs of values) counts.add({ ...run, firstTokenMs });
  values.sort((a, b) => a - b);
  for (const share of [0.01, 0.05, 0.5, 0.95, 0.99, 1]) {
    const exact = values[Math.ceil(share * values.length) - 1] ?? 0;
    const ratio = counts.firstTokenMs.at(share) / exact;
    assert.ok(ratio > 0.94 && ratio < 1.065, `${share}: ${ratio}`);
  }
  assert.equal(counts.firstTokenMs.count, values.length);
});

test('nothing measured counts nowhere, no time at all is 0, and what is beyond the last bin is in it', () => {
  const counts = new RunCounts();
  counts.add({ waitMs: null, bidOverLevel: 1, firstTokenMs: null, tokensPerSecond: null });
  assert.deepEqual([counts.waitMs(null).count, counts.firstTokenMs.count, counts.tokensPerSecond.count], [0, 0, 0]);
  assert.equal(counts.waitMs(null).at(0.5), 0);
  counts.add({ ...run, waitMs: 0, firstTokenMs: 1e15 });
  assert.equal(counts.waitMs(null).at(0.5), 0);
  assert.ok(counts.firstTokenMs.at(0.5) > 4e9 && counts.firstTokenMs.at(0.5) < 5e9);
});

test('a slow pace is as exact as a fast one', () => {
  for (const tokensPerSecond of [0.02, 7, 900]) {
    const counts = new RunCounts();
    counts.add({ ...run, tokensPerSecond });
    assert.ok(Math.abs(counts.tokensPerSecond.at(0.5) / tokensPerSecond - 1) < 0.065);
  }
});

test('waits are kept by the bid over the level, a bound being part of the group below it', () => {
  const counts = new RunCounts();
  for (const bidOverLevel of [0.5, 1, 1.0001, 1.25, 2, 2.1, Number.POSITIVE_INFINITY])
    counts.add({ ...run, bidOverLevel });
  assert.deepEqual(
    [0, 1, 2, 3].map((group) => counts.waitMs(group).count),
    [2, 2, 1, 2],
  );
  assert.equal(counts.waitMs(null).count, 7);
});

test('packed counts of several boots add up to what one would have counted', () => {
  const [one, two, both] = [new RunCounts(), new RunCounts(), new RunCounts()];
  const sum = new RunCounts();
  for (let order = 0; order < 100; order++) {
    const times = { ...run, waitMs: order, firstTokenMs: order * 7 };
    for (const counts of [order % 3 ? one : two, both]) counts.add(times);
  }
  for (const counts of [one, two]) sum.addPacked(counts.pack());
  assert.deepEqual(sum.pack(), both.pack());
  assert.ok(both.pack().byteLength < 1000);
  assert.equal(new RunCounts().pack().byteLength, 0);
});
