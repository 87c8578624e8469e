/** A pod whose slots grow while the gateway runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMockBackend } from '#testing/mock-backend.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import { PodPool } from './pool.ts';

test('runs as many attempts at once as it has slots by then', async () => {
  const mock = await startMockBackend({ reply: { writes: [], instead: 'hang' } });
  const options = { clock: new ManualClock(), random: { next: () => 0 }, log: silentLog, onCapacity: () => {} };
  const pool = new PodPool([podConfig({ url: mock.url, slots: 1 })], options);
  pool.set('pod-1', { draining: false, slots: 30 });
  const sinks = Array.from({ length: 30 }, () => new RecordingSink());
  for (const [order, sink] of sinks.entries()) pool.execute(attemptRequest({}, { orderId: `order-${order}` }), sink);
  await mock.requested(30);
  await pool.close();
  for (const sink of sinks) assert.equal((await sink.end).kind, 'aborted');
  await mock.close();
});
