import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttemptOutcome } from '#orders/ports.ts';
import { PodWork } from './pod-work.ts';

const answered = (outputTokens: number): AttemptOutcome => ({
  kind: 'complete',
  usage: { promptTokens: 1, cachedTokens: 0, outputTokens, reasoningTokens: null },
});
const times = (firstOutputMs: number | null, endMs: number) => ({ startMs: 1_000, firstOutputMs, endMs });

test('nothing is known of a pod that has done nothing', () => {
  assert.deepEqual(new PodWork().figures, {
    ...{ answers: 0, failures: 0, full: 0, refused: 0, aborted: 0 },
    ...{ lastFailure: null, firstTokenMs: null, tokensPerSecond: null },
  });
});

test('every end of an attempt is counted, and the last failure is reported in one line', () => {
  const work = new PodWork();
  const ends: AttemptOutcome[] = [
    answered(5),
    { kind: 'failed', reason: 'it said nothing' },
    { kind: 'failed', reason: `internal: Error: x\n    at file.ts:1` },
    { kind: 'no-slot' },
    { kind: 'refused', message: 'too long' },
    { kind: 'aborted', usage: null },
  ];
  for (const outcome of ends) work.ended(outcome, times(null, 1_000));
  const { answers, failures, full, refused, aborted, lastFailure } = work.figures;
  assert.deepEqual([answers, failures, full, refused, aborted], [1, 2, 1, 1, 1]);
  assert.equal(lastFailure, 'internal: Error: x');
  work.ended({ kind: 'failed', reason: 'y'.repeat(10_000) }, times(null, 1_000));
  assert.equal(work.figures.lastFailure?.length, 300);
});

test('the averages follow the newest answers, and begin with the first', () => {
  const work = new PodWork();
  work.ended(answered(50), times(1_200, 2_200));
  assert.deepEqual([work.figures.firstTokenMs, work.figures.tokensPerSecond], [200, 50]);
  work.ended(answered(82), times(1_360, 2_360));
  assert.deepEqual([work.figures.firstTokenMs, work.figures.tokensPerSecond], [210, 52]);
});

test('failed and aborted attempts, and answers without time, count in no average', () => {
  const work = new PodWork();
  work.ended({ kind: 'failed', reason: 'x' }, times(1_100, 9_000));
  work.ended({ kind: 'aborted', usage: null }, times(1_100, 9_000));
  work.ended({ kind: 'complete', usage: null }, times(null, 2_000));
  assert.deepEqual([work.figures.firstTokenMs, work.figures.tokensPerSecond], [null, null]);
  work.ended(answered(10), times(1_000, 1_000));
  assert.deepEqual([work.figures.firstTokenMs, work.figures.tokensPerSecond], [0, null]);
});
