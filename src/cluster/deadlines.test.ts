/** Orders with deadlines at the owner of their market, which is another gateway. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostBench } from '#testing/market-host-bench.ts';

test('the gateway of an order with a deadline is told the bid that the market chose, and each move of it', async () => {
  const bench = new HostBench();
  await bench.open(2);
  bench.rest(2, 'runs');
  bench.rest(2, 'also');
  const deadline = { limit: 9e9, byMs: bench.clock.nowMs() + 60_000 };
  bench.rest(2, 'patient', { bid: 1e9, restedSeq: 3, deadline });
  await bench.clock.advance(0);
  for (let second = 0; second < 20; second++) await bench.clock.advance(1000);
  assert.deepEqual(
    bench.orders(2).filter((what) => what.endsWith('patient')),
    ['rested patient', 'moved patient'],
  );
  const last = bench.said.findLast(({ message }) => message.type === 'event' && message.event.type === 'moved');
  assert.ok(last?.message.type === 'event' && last.message.event.type === 'moved');
  assert.deepEqual([last.to, last.message.event.bid], [2, 9e9]);
});
