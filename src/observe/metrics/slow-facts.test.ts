import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import type { SlowFacts } from './gauges.ts';
import { slowReader } from './metrics.ts';

const facts: SlowFacts = { money: { balances: 5n, holds: 2n }, audit: null, webhooksDisabled: 0 };

function readerOf(read: () => Promise<SlowFacts>) {
  const clock = new ManualClock();
  let reads = 0;
  const readNow = () => {
    reads++;
    return read();
  };
  const reader = slowReader(readNow, clock);
  return { clock, reader, reads: () => reads };
}

test('the facts are read once a minute, however many ask', async () => {
  const { clock, reader, reads } = readerOf(async () => facts);
  assert.deepEqual(await Promise.all([reader(), reader()]), [facts, facts]);
  await clock.advance(59_999);
  assert.equal(await reader(), facts);
  assert.equal(reads(), 1);
  await clock.advance(1);
  await reader();
  assert.equal(reads(), 2);
  assert.equal(clock.pending, 0);
});

test('a silent database costs a scrape a second, and its old facts are not shown as new ones', async () => {
  let answer: Promise<SlowFacts> = Promise.resolve(facts);
  const { clock, reader, reads } = readerOf(() => answer);
  await reader();
  await clock.advance(60_000);
  const late = Promise.withResolvers<SlowFacts>();
  answer = late.promise;
  const [first, second] = [reader(), reader()];
  await clock.advance(1_000);
  assert.deepEqual(await Promise.all([first, second]), [null, null]);
  const newer = { ...facts, audit: { endedAtMs: 1, findings: 0 } };
  late.resolve(newer);
  await clock.advance(0);
  assert.equal(await reader(), newer);
  assert.equal(reads(), 2);
});

test('a database that refuses leaves them out', async () => {
  const { reader } = readerOf(() => Promise.reject(new Error('gone')));
  assert.equal(await reader(), null);
});
