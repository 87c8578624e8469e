/** The data behind statistics. All of it is a bounded number of sums: no answer grows with the number of orders. */
import type { PlainOutcome } from '#base/journal.ts';
import type { NanoUsd, PriceNano } from '#base/money.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { Tokens } from '#ledger/tariff.ts';
import type { LevelBlock } from '#market/data/level-chart.ts';
import type { LevelRow } from '#market/ports.ts';
import type { AttemptOutcome } from '#orders/ports.ts';

/** The width of the narrowest bucket; the other widths are multiples of it. */
export const STATISTICS_BUCKET_MS = 900_000;
/** How long buckets are kept: a day longer than the longest range. */
export const STATISTICS_KEPT_MS = 31 * 86_400_000;

/** How long the sums of probes by day are kept: a day longer than anybody may ask for. */
export const PROBE_DAYS_KEPT_MS = 91 * 86_400_000;

/** From `fromMs` (inclusive) to `toMs` (exclusive), both on bucket boundaries. */
export interface StatisticsWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
}

/** The sum of customers' settled orders. */
export interface TokenSum {
  readonly model: string;
  readonly tokens: Tokens;
  readonly requests: number;
  /** The charges, net of refunds. */
  readonly earned: NanoUsd;
}

/** The sum of one bucket. */
export interface TokenSumBucket extends TokenSum {
  readonly atMs: number;
}

/** Reads billed traffic. The house's own traffic is never included. */
export interface TokenStore {
  /** The buckets with traffic of these models, by model and then by time. */
  buckets(models: readonly string[], window: StatisticsWindow): Promise<TokenSumBucket[]>;
  /** One sum for each of these models with traffic, in any order. */
  sums(models: readonly string[], window: StatisticsWindow): Promise<TokenSum[]>;
}

/** The result of one probe of a model. Times are in milliseconds. */
export interface ProbeResult {
  readonly model: string;
  /** When it was sent. */
  readonly atMs: number;
  /** done: an answer was settled. crowded: demand kept it waiting until it expired, which is not a failure. */
  readonly outcome: 'done' | 'crowded' | 'failed';
  /** Until it started to execute, or gave up. */
  readonly queueMs: number;
  /** The rest; 0 if it did not execute. */
  readonly pipelineMs: number;
}

/** The probes of one bucket, of one or more models. Times exclude failures; a maximum of none is 0. */
export interface ProbeSum {
  readonly total: number;
  readonly failures: number;
  /** The number with outcome `done`. */
  readonly done: number;
  readonly msMax: number;
  readonly queueMs: number;
  readonly queueMsMax: number;
  /** Over probes with outcome `done`. */
  readonly pipelineMs: number;
  readonly pipelineMsMax: number;
}

export interface ProbeBucket extends ProbeSum {
  readonly atMs: number;
}

/** Stores probe results. */
export interface ProbeStore {
  /** Adds a result to its bucket. */
  record(result: ProbeResult): Promise<void>;
  /**
   * Buckets with probes of any of these models, oldest first. Buckets of whole days, which are those of UTC, reach back
   * 90 days, others 30.
   */
  buckets(models: readonly string[], window: StatisticsWindow): Promise<ProbeBucket[]>;
  /** One sum for each of these models with probes, in any order. */
  sums(models: readonly string[], window: StatisticsWindow): Promise<(ProbeSum & { readonly model: string })[]>;
}

/** A stretch of the past of one market. */
export interface LockStretch {
  readonly model: string;
  /** From (inclusive) and to (exclusive), on bucket boundaries. */
  readonly fromMs: number;
  readonly toMs: number;
  /** A whole number of minutes. */
  readonly bucketMs: number;
  /** Windows with a number up to this one are not looked at. */
  readonly afterSeq: number;
}

/** The windows that began in one bucket; at least one. */
export interface LockBucket {
  readonly atMs: number;
  readonly windows: number;
  /** The mean quote of the windows, the lowest and the highest. */
  readonly mean: PriceNano;
  readonly low: PriceNano;
  readonly high: PriceNano;
  /** The locks that started in time and those that did not, as the clear rate counts them. */
  readonly started: number;
  readonly missed: number;
}

/** Reads what was quoted to locks in the past, and how many started. Oldest first; only the last day is kept. */
export type LockHistory = (stretch: LockStretch) => Promise<LockBucket[]>;

/** What one boot counted of one model in one hour, as `RunCounts.pack` returns it. */
export interface RunHour {
  readonly model: string;
  readonly hourMs: number;
  readonly counts: Uint8Array;
}

/** The hours that changed, each with all that this boot counted in it. */
export interface RunHoursUnit {
  readonly kind: 'run-hours';
  readonly boot: number;
  readonly hours: readonly RunHour[];
}

/** The widths in which the load of a gateway is recorded, and how long each is kept: longer than the ranges read from it. */
export const LOAD_KEPT_MS = { [MINUTE_MS]: 2 * HOUR_MS, [STATISTICS_BUCKET_MS]: 8 * DAY_MS } as const;

/** The time between two looks of a gateway at itself. */
export const LOOK_MS = 10_000;

/** How often a pod was seen healthy, unhealthy, and kept from orders by an operator. */
export type PodLooks = readonly [healthy: number, unhealthy: number, drained: number];

/** What one boot did in one minute or quarter of an hour. `queued`, `busySlots` and `slots` are sums over its `looks`. */
export interface LoadSpan {
  readonly widthMs: number;
  readonly atMs: number;
  readonly looks: number;
  readonly queued: number;
  readonly busySlots: number;
  readonly slots: number;
  /** Orders of customers that ended in an error. */
  readonly failed: number;
  /** What customers were charged, before refunds. */
  readonly charged: NanoUsd;
  /** From admission to the first token, as `RunCounts.pack` returns it. */
  readonly firstTokens: Uint8Array;
  /** By the id of the pod. */
  readonly pods: Readonly<Record<string, PodLooks>>;
}

/** The spans that changed, each with all that this boot counted in it. */
export interface GatewayLoadUnit {
  readonly kind: 'gateway-load';
  readonly boot: number;
  readonly spans: readonly LoadSpan[];
}

/** Reads the load of all gateways, oldest first: spans of one width that begin at `fromMs` or later. */
export interface LoadStore {
  figures(widthMs: number, fromMs: number): Promise<Omit<LoadSpan, 'pods'>[]>;
  pods(widthMs: number, fromMs: number): Promise<Pick<LoadSpan, 'atMs' | 'pods'>[]>;
  /** The gateways that started at `fromMs` or later. */
  starts(fromMs: number): Promise<GatewayStart[]>;
}

/** A start of a gateway. */
export interface GatewayStart {
  readonly atMs: number;
  readonly version: string | null;
  /** Whether the gateway that started before it had another version. */
  readonly isNewVersion: boolean;
}

/** The journal units of statistics; sums of tokens are part of each settlement. */
export interface StatisticsUnits {
  readonly 'run-hours': { readonly unit: RunHoursUnit; readonly outcome: PlainOutcome };
  readonly 'gateway-load': { readonly unit: GatewayLoadUnit; readonly outcome: PlainOutcome };
}

/** Complete blocks of levels, and the time up to which this boot is recorded. Blocks of other boots are left alone. */
export interface LevelBlocksUnit {
  readonly kind: 'level-blocks';
  readonly boot: number;
  readonly untilMs: number;
  readonly blocks: readonly LevelBlock[];
}

/** The journal units of recorded levels. */
export interface LevelUnits {
  readonly 'level-blocks': { readonly unit: LevelBlocksUnit; readonly outcome: PlainOutcome };
}

/** A stored block: what one boot recorded of that time. */
export interface StoredBlock extends LevelBlock {
  readonly boot: number;
}

/** Selects blocks of a market: of one width, from `fromMs` on, from boots before `beforeBoot`. */
export interface WantedBlocks {
  readonly widthMs: number;
  readonly fromMs: number;
  readonly beforeBoot: number;
}

/** A period in which a gateway was up: from its start to its end, or to its last sign of life. */
export interface GatewayRun {
  readonly boot: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether it recorded blocks of every width. Runs from before blocks left minutes and single changes. */
  readonly inBlocks: boolean;
}

/** A run that was cut off. What happened after `untilMs` is recorded as single changes, not in blocks. */
export interface UnfinishedRun extends GatewayRun {
  /** The time of its newest record. */
  readonly lastSignMs: number;
}

/** What earlier processes recorded of the markets. Results are paged, so that a month is never in memory at once. */
export interface LevelPast {
  /** Blocks of earlier boots for one market, newest first; for the same time, the newest boot first. */
  blocks(model: string, wanted: WantedBlocks): AsyncIterable<readonly StoredBlock[]>;
  /** Level changes of one market before `beforeMs`, oldest first, starting with the one in force at `sinceMs`. */
  changes(model: string, sinceMs: number, beforeMs: number): AsyncIterable<readonly LevelRow[]>;
  /** The run before this boot if it was cut off; null otherwise. */
  unfinished(boot: number): Promise<UnfinishedRun | null>;
  /** Runs that ended after `sinceMs` and began before `beforeMs`, oldest first. */
  runs(sinceMs: number, beforeMs: number): Promise<GatewayRun[]>;
}

/** Reads how long runs took: passes on what each boot counted of the model in each of these hours. */
export type ReadRuns = (
  model: string,
  hours: { readonly fromMs: number; readonly toMs: number },
  take: (counts: Uint8Array) => void,
) => Promise<void>;

/** The money of all accounts but the house's. */
export interface MoneyTotals {
  readonly balances: NanoUsd;
  /** The part of it that is held for orders that run. */
  readonly holds: NanoUsd;
}

/** The newest audit of the ledger that came to its end, in whichever gateway. */
export interface LastAudit {
  readonly endedAtMs: number;
  /** Findings that nobody has acknowledged. */
  readonly findings: number;
}

const ranges = {
  '24h': { lengthMs: DAY_MS, bucketMs: STATISTICS_BUCKET_MS },
  '7d': { lengthMs: 7 * DAY_MS, bucketMs: 4 * STATISTICS_BUCKET_MS },
  '30d': { lengthMs: 30 * DAY_MS, bucketMs: 16 * STATISTICS_BUCKET_MS },
} as const;

export type StatisticsRange = keyof typeof ranges;

/** The last 90 days of UTC, by the day; the last one is today. */
export function daysWindow(nowMs: number): StatisticsWindow {
  const toMs = nowMs - (nowMs % DAY_MS) + DAY_MS;
  return { fromMs: toMs - 90 * DAY_MS, toMs, bucketMs: DAY_MS };
}

/** The whole buckets of a range. The last one contains the current moment. */
export function windowOf(range: StatisticsRange, nowMs: number): StatisticsWindow {
  const { lengthMs, bucketMs } = ranges[range];
  const toMs = nowMs - (nowMs % bucketMs) + bucketMs;
  return { fromMs: toMs - lengthMs, toMs, bucketMs };
}

/** What metrics and traces call each outcome of an attempt; null for one that was answered. docs/sell/monitoring.md. */
export const ATTEMPT_ERRORS = {
  complete: null,
  failed: 'failed',
  'no-slot': 'full',
  refused: 'refused',
  aborted: 'aborted',
} as const satisfies Record<AttemptOutcome['kind'], string | null>;
