/** Measured uptime: the results of probes, in total and by bucket. Pure. Spec 4.9. */
import type { ProbeBucket, ProbeSum } from './ports.ts';

/** In milliseconds; null when nothing was timed. */
interface ProbeTimes {
  readonly averageMs: number | null;
  readonly maxMs: number | null;
  readonly averageQueueMs: number | null;
  readonly maxQueueMs: number | null;
  /** Over probes that executed. */
  readonly averagePipelineMs: number | null;
  readonly maxPipelineMs: number | null;
}

/** The uptime over some probes. `percent` is 0 to 100, or null without probes. Times exclude failures. */
export interface Uptime extends ProbeTimes {
  readonly total: number;
  readonly failures: number;
  readonly percent: number | null;
}

/** The uptime over all these buckets. */
export function summaryOf(buckets: readonly ProbeBucket[]): Uptime {
  return uptimeOf(buckets.reduce<ProbeSum>(added, NONE));
}

/** The uptime over one sum of probes. */
export function uptimeOf(sum: ProbeSum): Uptime {
  const { total, failures, done } = sum;
  const timed = total - failures;
  return {
    total,
    failures,
    percent: total === 0 ? null : rounded((100 * timed) / total),
    averageMs: mean(sum.queueMs + sum.pipelineMs, timed),
    maxMs: timed === 0 ? null : sum.msMax,
    averageQueueMs: mean(sum.queueMs, timed),
    maxQueueMs: timed === 0 ? null : sum.queueMsMax,
    averagePipelineMs: mean(sum.pipelineMs, done),
    maxPipelineMs: done === 0 ? null : sum.pipelineMsMax,
  };
}

const NONE: ProbeSum = {
  total: 0,
  failures: 0,
  done: 0,
  msMax: 0,
  queueMs: 0,
  queueMsMax: 0,
  pipelineMs: 0,
  pipelineMsMax: 0,
};

function added(a: ProbeSum, b: ProbeSum): ProbeSum {
  return {
    total: a.total + b.total,
    failures: a.failures + b.failures,
    done: a.done + b.done,
    msMax: Math.max(a.msMax, b.msMax),
    queueMs: a.queueMs + b.queueMs,
    queueMsMax: Math.max(a.queueMsMax, b.queueMsMax),
    pipelineMs: a.pipelineMs + b.pipelineMs,
    pipelineMsMax: Math.max(a.pipelineMsMax, b.pipelineMsMax),
  };
}

function mean(sum: number, count: number): number | null {
  return count === 0 ? null : rounded(sum / count);
}

/** To thousandths; more precision has no use. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
