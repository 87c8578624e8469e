import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeBucket } from './ports.ts';
import { summaryOf, uptimeOf } from './uptime.ts';

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

test('times exclude failures, and pipeline times cover only probes that executed', () => {
  assert.deepEqual(uptimeOf(bucket()), {
    total: 4,
    failures: 1,
    percent: 75,
    averageMs: 433.333,
    maxMs: 900,
    averageQueueMs: 200,
    maxQueueMs: 500,
    averagePipelineMs: 350,
    maxPipelineMs: 400,
  });
});

test('the summary adds buckets and takes the largest of their maxima', () => {
  const other = bucket({ total: 2, failures: 0, done: 2, msMax: 950, queueMsMax: 10, pipelineMsMax: 940 });
  assert.partialDeepStrictEqual(summaryOf([bucket(), other]), {
    total: 6,
    failures: 1,
    percent: 83.333,
    maxMs: 950,
    maxQueueMs: 500,
    maxPipelineMs: 940,
    averagePipelineMs: 350,
  });
});

test('without probes there is no uptime, and with only failures no time', () => {
  const none = summaryOf([]);
  assert.deepEqual([none.total, none.percent, none.averageMs, none.maxMs], [0, null, null, null]);
  const failed = uptimeOf(
    bucket({ total: 2, failures: 2, done: 0, msMax: 0, queueMs: 0, queueMsMax: 0, pipelineMs: 0, pipelineMsMax: 0 }),
  );
  assert.deepEqual(
    [failed.percent, failed.averageMs, failed.maxQueueMs, failed.averagePipelineMs, failed.maxPipelineMs],
    [0, null, null, null, null],
  );
});

test('probes that expired because of demand count as up, with a queue time and no pipeline time', () => {
  const crowded = uptimeOf(bucket({ total: 1, failures: 0, done: 0, queueMs: 59_000, pipelineMs: 0 }));
  assert.deepEqual([crowded.percent, crowded.averageQueueMs, crowded.averagePipelineMs], [100, 59_000, null]);
});
