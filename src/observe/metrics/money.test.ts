import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { MoneyReader, type MoneyTotals } from './money.ts';

const totals: MoneyTotals = { balances: 5n, holds: 2n };

function readerOf(read: () => Promise<MoneyTotals>) {
  const clock = new ManualClock();
  let reads = 0;
  const totals = () => {
    reads++;
    return read();
  };
  const reader = new MoneyReader({ totals }, clock);
  return { clock, reader, reads: () => reads };
}

test('the totals are read once a minute, however many ask', async () => {
  const { clock, reader, reads } = readerOf(async () => totals);
  assert.deepEqual(await Promise.all([reader.current(), reader.current()]), [totals, totals]);
  await clock.advance(59_999);
  assert.equal(await reader.current(), totals);
  assert.equal(reads(), 1);
  await clock.advance(1);
  await reader.current();
  assert.equal(reads(), 2);
  assert.equal(clock.pending, 0);
});

test('a silent database costs a scrape a second, and its old totals are not shown as new ones', async () => {
  let answer: Promise<MoneyTotals> = Promise.resolve(totals);
  const { clock, reader, reads } = readerOf(() => answer);
  await reader.current();
  await clock.advance(60_000);
  const late = Promise.withResolvers<MoneyTotals>();
  answer = late.promise;
  const [first, second] = [reader.current(), reader.current()];
  await clock.advance(1_000);
  assert.deepEqual(await Promise.all([first, second]), [null, null]);
  late.resolve({ balances: 6n, holds: 0n });
  await clock.advance(0);
  assert.deepEqual(await reader.current(), { balances: 6n, holds: 0n });
  assert.equal(reads(), 2);
});

test('a database that refuses leaves the totals out', async () => {
  const { reader } = readerOf(() => Promise.reject(new Error('gone')));
  assert.equal(await reader.current(), null);
});
