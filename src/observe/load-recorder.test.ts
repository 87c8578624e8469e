import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { EndedOrder } from '#orders/order-facts.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { LoadRecorder } from './load-recorder.ts';
import { type GatewayLoadUnit, type LoadSpan, STATISTICS_BUCKET_MS } from './ports.ts';
import { RunCounts } from './run-counts.ts';

const START_MS = 100 * HOUR_MS;

const done: EndedOrder = {
  ...{ orderId: 'one', model: 'tide', kind: 'chat', attended: true, batchId: null, bid: 1, createdAtMs: 0 },
  ...{ account: 'ada', status: 'done', error: null, endedAtMs: 0, price: 1, waitedSinceMs: null, allMs: 900 },
  ...{ queueMs: 200, pipelineMs: 700, firstTokenMs: 500 },
  charge: {
    ...{ tokens: { uncached: 1, cached: 0, output: 1 }, charged: 7n },
    ...{ writtenOff: 0n, aboveBound: 0n, estimated: false },
  },
};

/** A recorder, what it looks at, and the spans that it wrote. `commit` is what a write waits for. */
function bench(commit: () => Promise<void> = async () => {}) {
  const clock = new ManualClock(START_MS);
  const units: GatewayLoadUnit[] = [];
  const seen = { queued: 0, standing: 'healthy' as 'healthy' | 'unhealthy' | 'drained', busy: 1 };
  const recorder = new LoadRecorder({
    queued: () => seen.queued,
    pods: () => [{ pod: 'gpu-1', standing: seen.standing, slots: { busy: seen.busy, allowed: 4 } }],
    journal: {
      stalled: false,
      async write(unit) {
        if (unit.kind === 'gateway-load') units.push(unit);
        await commit();
        return { result: 'changed' } as const;
      },
    },
    ...{ clock, log: silentLog, bootEpoch: 7 },
  });
  const newest = (widthMs: number): LoadSpan | undefined => units.at(-1)?.spans.findLast((s) => s.widthMs === widthMs);
  return { clock, recorder, units, seen, newest };
}

test('a minute and its quarter of an hour have what was looked at every ten seconds', async () => {
  const { clock, recorder, units, seen, newest } = bench();
  seen.queued = 3;
  await clock.advance(30_000);
  seen.standing = 'unhealthy';
  await clock.advance(MINUTE_MS);
  assert.equal(units[0]?.boot, 7);
  const [minute] = units[0]?.spans ?? [];
  assert.partialDeepStrictEqual(minute, { widthMs: MINUTE_MS, atMs: START_MS, looks: 5, queued: 15 });
  assert.deepEqual(minute?.pods, { 'gpu-1': [3, 2, 0] });
  assert.deepEqual([minute?.busySlots, minute?.slots], [3, 12]);
  await recorder.close();
  const quarter = newest(STATISTICS_BUCKET_MS);
  assert.partialDeepStrictEqual(quarter, { atMs: START_MS, looks: 9, queued: 27 });
  assert.deepEqual(quarter?.pods, { 'gpu-1': [3, 6, 0] });
});

test('orders count what they were charged, those that failed, and the first token from their admission', async () => {
  const { recorder, newest } = bench();
  recorder.take(done);
  recorder.take({ ...done, status: 'error', error: 'backend_error', charge: null, firstTokenMs: null });
  recorder.take({ ...done, status: 'expired', error: 'order_expired', charge: null, firstTokenMs: null });
  await recorder.close();
  const minute = newest(MINUTE_MS);
  assert.deepEqual([minute?.charged, minute?.failed], [7n, 1]);
  const counts = new RunCounts();
  counts.addPacked(minute?.firstTokens ?? new Uint8Array());
  assert.equal(counts.firstTokenMs.count, 1);
  assert.ok(Math.abs(counts.firstTokenMs.at(0.5) - 300) < 20);
});

test('what could not be written is written again, whole, and given up after an hour', async () => {
  let isDown = true;
  const { clock, recorder, units } = bench(async () => {
    if (isDown) throw new Error('no database');
  });
  recorder.take(done);
  await clock.advance(2 * MINUTE_MS);
  const first = () => units.at(-1)?.spans.find(({ widthMs, atMs }) => widthMs === MINUTE_MS && atMs === START_MS);
  assert.equal(first()?.charged, 7n);
  await clock.advance(2 * HOUR_MS);
  assert.equal(first(), undefined);
  isDown = false;
  await clock.advance(2 * MINUTE_MS);
  assert.ok((units.at(-1)?.spans.length ?? 0) <= 3);
  await recorder.close();
});
