/** What statistics are read from. All of it is kept in sums of bounded number: no answer grows with the orders. */
import type { NanoUsd } from '#base/money.ts';
import type { Tokens } from '#ledger/tariff.ts';

/** The width of the narrowest bucket; every other is a multiple of it. */
export const STATISTICS_BUCKET_MS = 900_000;
/** How long the buckets are kept: a day past the longest range. */
export const STATISTICS_KEPT_MS = 31 * 86_400_000;

/** From `fromMs` (included) to `toMs` (not), both on the edge of a bucket. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
}

/** Settled orders of customers, summed. */
export interface TokenSum {
  readonly model: string;
  readonly tokens: Tokens;
  readonly requests: number;
  /** What was charged, net of refunds. */
  readonly earned: NanoUsd;
}

/** The sum of one bucket. */
export interface TokenBucket extends TokenSum {
  readonly atMs: number;
}

/** Reads of what was billed; the house's own traffic is in none of it. */
export interface TokenStore {
  /** Buckets with traffic of these models, by model and then by time. */
  buckets(models: readonly string[], window: Window): Promise<TokenBucket[]>;
  /** One sum for each of these models that had traffic, in no order. */
  sums(models: readonly string[], window: Window): Promise<TokenSum[]>;
}

/** How one probe of a model ended. Times are in milliseconds. */
export interface ProbeResult {
  readonly model: string;
  /** When it was sent. */
  readonly atMs: number;
  /** done: an answer was settled. crowded: demand kept it waiting to its end, which is no failure. */
  readonly outcome: 'done' | 'crowded' | 'failed';
  /** Until it began to run, or gave up. */
  readonly queueMs: number;
  /** All the rest; 0 when it did not run. */
  readonly pipelineMs: number;
}

/** The probes of one bucket, of one model or of several. Times leave failures out; a maximum over none is 0. */
export interface ProbeSum {
  readonly total: number;
  readonly failures: number;
  /** Those that were done. */
  readonly done: number;
  readonly msMax: number;
  readonly queueMs: number;
  readonly queueMsMax: number;
  /** Over those that were done. */
  readonly pipelineMs: number;
  readonly pipelineMsMax: number;
}

export interface ProbeBucket extends ProbeSum {
  readonly atMs: number;
}

/** Where probes are kept. */
export interface ProbeStore {
  /** Adds a result to its bucket. */
  record(result: ProbeResult): Promise<void>;
  /** Buckets with probes of any of these models, oldest first. */
  buckets(models: readonly string[], window: Window): Promise<ProbeBucket[]>;
}
