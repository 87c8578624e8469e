import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { TokenBuckets } from './request-rates.ts';

const tenPerSecond = { tokens: 10, perMs: 1000 };

function takeAll(buckets: TokenBuckets, subject: string): number {
  let taken = 0;
  while (buckets.take(subject) === 0) taken++;
  return taken;
}

// Spec 8-2
test('a bucket starts full and returns the time until the next token', () => {
  const buckets = new TokenBuckets(tenPerSecond, new ManualClock());
  assert.equal(takeAll(buckets, 'a'), 10);
  assert.equal(buckets.take('a'), 100);
});

test('tokens come back continuously, never more than the bucket holds', async () => {
  const clock = new ManualClock();
  const buckets = new TokenBuckets(tenPerSecond, clock);
  takeAll(buckets, 'a');
  await clock.advance(450);
  assert.equal(takeAll(buckets, 'a'), 4);
  assert.equal(buckets.take('a'), 50);
  await clock.advance(60_000);
  assert.equal(takeAll(buckets, 'a'), 10);
});

test('a refused take uses no token', async () => {
  const clock = new ManualClock();
  const buckets = new TokenBuckets(tenPerSecond, clock);
  takeAll(buckets, 'a');
  for (let i = 0; i < 100; i++) buckets.take('a');
  await clock.advance(100);
  assert.equal(buckets.take('a'), 0);
});

test('a rate without a whole number of milliseconds per token still gives every token', async () => {
  for (const tokens of [7, 11, 90, 131, 1300, 7001]) {
    const clock = new ManualClock();
    const buckets = new TokenBuckets({ tokens, perMs: 60_000 }, clock);
    assert.equal(takeAll(buckets, 'a'), tokens);
    await clock.advance(30_000);
    assert.equal(takeAll(buckets, 'a'), Math.floor(tokens / 2));
    await clock.advance(30_000);
    assert.equal(takeAll(buckets, 'a'), Math.ceil(tokens / 2));
  }
});

test('each subject has its own bucket', () => {
  const buckets = new TokenBuckets(tenPerSecond, new ManualClock());
  takeAll(buckets, 'a');
  assert.equal(takeAll(buckets, 'b'), 10);
});

test('a clock that is set neither fills a bucket nor keeps it empty', async () => {
  const clock = new ManualClock();
  const buckets = new TokenBuckets(tenPerSecond, clock);
  takeAll(buckets, 'a');
  for (const stepMs of [-1_000_000, 2_000_000]) {
    clock.step(stepMs);
    assert.equal(buckets.take('a'), 100);
  }
  await clock.advance(100);
  assert.equal(buckets.take('a'), 0);
});

test('full buckets are evicted first, and the number of buckets stays bounded', async () => {
  const clock = new ManualClock();
  const buckets = new TokenBuckets(tenPerSecond, clock, 100);
  for (let i = 0; i < 100; i++) buckets.take(`early ${i}`);
  await clock.advance(1000);
  takeAll(buckets, 'empty');
  assert.equal(buckets.size, 1);
  for (let i = 0; i < 1000; i++) buckets.take(`late ${i}`);
  assert.ok(buckets.size <= 100);
});
