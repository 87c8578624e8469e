/** What was charged, by model and over time, without the gateway's own probes; how long runs took; measured uptime. Spec 4.9. */
import { priceToUsd } from '#base/money.ts';
import { HOUR_MS } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import type { JsonOf } from '#contract/reply.ts';
import type { Tokens } from '#ledger/tariff.ts';
import type { Listing, Listings } from '#market/listing.ts';
import {
  daysWindow,
  type ProbeBucket,
  type ProbeStore,
  type ProbeSum,
  type ReadRuns,
  type StatisticsRange,
  type TokenStore,
  type TokenSum,
  type TokenSumBucket,
  windowOf,
} from '#observe/ports.ts';
import type { ReadyView } from '#observe/probe.ts';
import { BID_BOUNDS, type Percentiles, RunCounts } from '#observe/run-counts.ts';
import { SharedAnswers, statisticsCaching } from './conditional.ts';
import type { MarketReading } from './market.ts';

/** getTokenStatistics and getModelStatistics. An unknown range becomes 24h, which the response names. */
export function statisticsHandlers(parts: MarketReading & { ready: Pick<ReadyView, 'degraded'>; tokens: TokenStore }) {
  const { listings, market, ready, tokens, clock } = parts;
  const idsNow = () => listings.all.map(({ id }) => id);
  const rowOf = (listing: Listing, sum: TokenSum | undefined) => {
    const snapshot = market.current(listing.id);
    return {
      model: listing.id,
      level: snapshot && priceToUsd(snapshot.level),
      pricing: listing.type,
      degraded: ready.degraded(listing.id),
      preview: listing.preview,
      ...tokenFields(listing.preview ? undefined : sum),
    };
  };
  return handlersOf({
    async getTokenStatistics({ query }) {
      const model = listings.named(query.model)?.id ?? null;
      const { range } = query;
      const window = windowOf(range, clock.nowMs());
      const ids = idsNow();
      const buckets = await tokens.buckets(model === null ? ids : [model], window);
      const { fromMs, toMs, bucketMs } = window;
      const stretch = { bucket_seconds: bucketMs / 1000, from: fromMs / 1000, to: toMs / 1000 };
      return {
        status: 200,
        headers: statisticsCaching,
        json: { range, model, ...stretch, series: seriesOf(buckets, ids) },
      };
    },

    async getModelStatistics({ query }) {
      const { range } = query;
      const ids = idsNow();
      const sums = await tokens.sums(ids, windowOf(range, clock.nowMs()));
      const sumsByModel = new Map(sums.map((sum) => [sum.model, sum]));
      const ranked = ranking(listings, sumsByModel);
      return {
        status: 200,
        headers: statisticsCaching,
        json: {
          range,
          top: ranked.find(({ type }) => type === 'market')?.id ?? null,
          default: listings.default.id,
          models: ids,
          data: ranked.map((listing) => rowOf(listing, sumsByModel.get(listing.id))),
        },
      };
    },
  });
}

/** Ranked by revenue; fixed-price models after the markets, equal ones in the configured order. */
function ranking(listings: Listings, sums: ReadonlyMap<string, TokenSum>): Listing[] {
  const earned = ({ id, preview }: Listing) => (preview ? 0n : (sums.get(id)?.earned ?? 0n));
  return [...listings.all].sort((a, b) => {
    if (a.type !== b.type) return a.type === 'market' ? -1 : 1;
    const more = earned(b) - earned(a);
    return more > 0n ? 1 : more < 0n ? -1 : 0;
  });
}

/** One series for each model with traffic, in the configured order. */
function seriesOf(buckets: readonly TokenSumBucket[], order: readonly string[]) {
  const byModel = Map.groupBy(buckets, ({ model }) => model);
  return order.flatMap((model) => {
    const points = byModel.get(model)?.map((bucket) => {
      const { total_tokens, ...fields } = tokenFields(bucket);
      return { t: bucket.atMs / 1000, ...fields };
    });
    return points ? [{ model, points }] : [];
  });
}

const NOTHING: { readonly tokens: Tokens; readonly requests: number } = {
  tokens: { uncached: 0, cached: 0, output: 0 },
  requests: 0,
};

/** Billed tokens as statistics show them; zeros when absent. */
export function tokenFields({ tokens, requests }: typeof NOTHING = NOTHING) {
  const input = tokens.cached + tokens.uncached;
  return {
    input_tokens: input,
    cached_tokens: tokens.cached,
    miss_tokens: tokens.uncached,
    output_tokens: tokens.output,
    total_tokens: input + tokens.output,
    requests,
  };
}

/** Gateways write their counts once a minute. */
const AGE_S = 60;
/** With fewer orders than this a percentile means nothing. */
const SAMPLES_MIN = 20;

/** getLatencyStatistics: a month is read at most once in a minute for each model. An unknown range becomes 24h. */
export function latencyHandlers(options: Omit<MarketReading, 'market'> & { runs: ReadRuns }) {
  const { listings, runs, clock } = options;
  const answers = new SharedAnswers<JsonOf<'getLatencyStatistics'>>(clock, AGE_S);
  const build = async ({ id: model, type }: Listing, range: StatisticsRange) => {
    const { fromMs, toMs } = hoursOf(range, clock.nowMs());
    const counts = new RunCounts();
    await runs(model, { fromMs, toMs }, (packed) => counts.addPacked(packed));
    return {
      ...{ range, model, from: fromMs / 1000, to: toMs / 1000, samples_min: SAMPLES_MIN },
      time_to_first_token_ms: atMost(counts.firstTokenMs),
      // The rates that 50, 95 and 99 of 100 orders reached at least.
      tokens_per_second: shown(counts.tokensPerSecond, [0.5, 0.05, 0.01]),
      wait_ms: atMost(counts.waitMs(null)),
      wait_by_bid:
        type === 'fixed'
          ? []
          : BID_BOUNDS.map((above, group) => ({
              above,
              up_to: BID_BOUNDS[group + 1] ?? null,
              ...atMost(counts.waitMs(group)),
            })),
    };
  };
  return handlersOf({
    getLatencyStatistics: ({ query, headers }) => {
      const listing = listings.named(query.model) ?? listings.default;
      const { range } = query;
      return answers.reply(headers, `${range} ${listing.id}`, () => build(listing, range));
    },
  });
}

/** Whole hours, the last of which contains the current moment. */
function hoursOf(range: StatisticsRange, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const { fromMs, toMs } = windowOf(range, nowMs);
  const endMs = nowMs - (nowMs % HOUR_MS) + HOUR_MS;
  return { fromMs: endMs - (toMs - fromMs), toMs: endMs };
}

/** The times that 50, 95 and 99 of 100 orders took at most. */
function atMost(percentiles: Percentiles) {
  return shown(percentiles, [0.5, 0.95, 0.99]);
}

function shown({ count, at }: Percentiles, [p50, p95, p99]: readonly [number, number, number]) {
  const value = (share: number) => (count < SAMPLES_MIN ? null : Number(at(share).toPrecision(3)));
  // In tens: two answers, one after the other, must not show a single order.
  return { count: count - (count % 10), p50: value(p50), p95: value(p95), p99: value(p99) };
}

interface UptimeOptions extends Omit<MarketReading, 'market'> {
  readonly ready: Pick<ReadyView, 'probed' | 'answered' | 'degraded'>;
  readonly probes: Pick<ProbeStore, 'buckets'>;
  /** Whether models are probed, and how often. */
  readonly settings: { readonly enabled: boolean; readonly intervalMs: number };
}

/**
 * getUptime. An unknown range becomes 24h, which the response names; `days=90` is an extension. A model that has never
 * answered is unmeasured, and left out of the pooled figures.
 */
export function uptimeHandlers({ listings, ready, probes, settings, clock }: UptimeOptions) {
  const measured = (model: string | null) =>
    listings.all.map(({ id }) => id).filter((id) => (model === null || id === model) && ready.answered(id));
  const probed = (model: string | null) =>
    settings.enabled && ready.probed().some(({ id }) => model === null || id === model);
  return handlersOf({
    async getUptime({ query }) {
      const model = listings.named(query.model)?.id ?? null;
      const range = query.days === '90' ? '90d' : query.range;
      const window = range === '90d' ? daysWindow(clock.nowMs()) : windowOf(range, clock.nowMs());
      const buckets = await probes.buckets(measured(model), window);
      return {
        status: 200,
        headers: statisticsCaching,
        json: {
          range,
          model,
          bucket_seconds: window.bucketMs / 1000,
          interval_ms: settings.intervalMs,
          checks_running: probed(model),
          degraded: ready.degraded(model),
          summary: summaryOf(buckets),
          buckets: buckets.map(({ atMs, ...sum }) => ({ t: atMs / 1000, ...probedTimes(sum) })),
        },
      };
    },
  });
}

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
