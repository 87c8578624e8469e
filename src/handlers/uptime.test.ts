import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeBucket, ProbeSum } from '#observe/ports.ts';
import { probedTimes, summaryOf, uptimeOf } from './statistics.ts';

const bucket = (more: Partial<ProbeBucket> = {}): ProbeBucket => ({
  atMs: 0,
  total: 4,
  failures: 1,
  done: 2,
  msMax: 900,
  queueMs: 600,
  queueMsMax: 500,
  pipelineMs: 700,
  pipelineMsMax: 400,
  ...more,
});

const measured = (sum: ProbeSum) => ({ uptime_pct: uptimeOf(sum), ...probedTimes(sum) });

test('times exclude failures, and pipeline times cover only probes that executed', () => {
  assert.deepEqual(measured(bucket()), {
    total: 4,
    failures: 1,
    uptime_pct: 75,
    avg_ms: 433.333,
    max_ms: 900,
    avg_queue_ms: 200,
    max_queue_ms: 500,
    avg_pipeline_ms: 350,
    max_pipeline_ms: 400,
  });
});

test('the summary adds buckets and takes the largest of their maxima', () => {
  const other = bucket({ total: 2, failures: 0, done: 2, msMax: 950, queueMsMax: 10, pipelineMsMax: 940 });
  assert.partialDeepStrictEqual(summaryOf([bucket(), other]), {
    total: 6,
    failures: 1,
    uptime_pct: 83.333,
    max_ms: 950,
    max_queue_ms: 500,
    max_pipeline_ms: 940,
    avg_pipeline_ms: 350,
  });
});

test('without probes there is no uptime, and with only failures no time', () => {
  const none = summaryOf([]);
  assert.deepEqual([none.total, none.uptime_pct, none.avg_ms, none.max_ms], [0, null, null, null]);
  const failed = measured(
    bucket({ total: 2, failures: 2, done: 0, msMax: 0, queueMs: 0, queueMsMax: 0, pipelineMs: 0, pipelineMsMax: 0 }),
  );
  assert.deepEqual(
    [failed.uptime_pct, failed.avg_ms, failed.max_queue_ms, failed.avg_pipeline_ms, failed.max_pipeline_ms],
    [0, null, null, null, null],
  );
});

test('probes that expired because of demand count as up, with a queue time and no pipeline time', () => {
  const crowded = measured(bucket({ total: 1, failures: 0, done: 0, queueMs: 59_000, pipelineMs: 0 }));
  assert.deepEqual([crowded.uptime_pct, crowded.avg_queue_ms, crowded.avg_pipeline_ms], [100, 59_000, null]);
});
