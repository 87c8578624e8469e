/** Measured uptime: the results of probes, in total and by bucket. Pure. Spec 4.9. */
import type { ProbeBucket, ProbeSum } from './ports.ts';

/** The uptime over all these buckets, with their times. */
export function summaryOf(buckets: readonly ProbeBucket[]) {
  const sum = sumOf(buckets);
  return { uptime_pct: uptimeOf(sum), ...probedTimes(sum) };
}

/** The uptime over one sum of probes: 0 to 100, or null without probes. */
export function uptimeOf({ total, failures }: ProbeSum): number | null {
  return total === 0 ? null : rounded((100 * (total - failures)) / total);
}

/**
 * One sum of probes, as it is shown. Times are in milliseconds and exclude failures, those of the pipeline also probes that
 * did not execute; null when nothing was timed.
 */
export function probedTimes(sum: ProbeSum) {
  const { total, failures, done } = sum;
  const timed = total - failures;
  return {
    total,
    failures,
    avg_ms: mean(sum.queueMs + sum.pipelineMs, timed),
    max_ms: timed === 0 ? null : sum.msMax,
    avg_queue_ms: mean(sum.queueMs, timed),
    max_queue_ms: timed === 0 ? null : sum.queueMsMax,
    avg_pipeline_ms: mean(sum.pipelineMs, done),
    max_pipeline_ms: done === 0 ? null : sum.pipelineMsMax,
  };
}

/** How the figures of two buckets become one. */
const plus = (a: number, b: number) => a + b;
const JOINED: { readonly [Name in keyof ProbeSum]: (a: number, b: number) => number } = {
  ...{ total: plus, failures: plus, done: plus, queueMs: plus, pipelineMs: plus },
  ...{ msMax: Math.max, queueMsMax: Math.max, pipelineMsMax: Math.max },
};

function sumOf(buckets: readonly ProbeBucket[]): ProbeSum {
  const names = Object.keys(JOINED) as (keyof ProbeSum)[];
  const sums = names.map((name) => [name, buckets.reduce((sum, bucket) => JOINED[name](sum, bucket[name]), 0)]);
  return Object.fromEntries(sums);
}

function mean(sum: number, count: number): number | null {
  return count === 0 ? null : rounded(sum / count);
}

/** To thousandths; more precision has no use. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
