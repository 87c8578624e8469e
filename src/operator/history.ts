/**
 * What the gateways did in the last hour, day or week, in bins, for the charts of the overview and the strips of the pods.
 * It is read from sums, in a bounded number of rows, which does not grow with the number of orders.
 */
import type { ChangeLog } from '#accounts/change-log.ts';
import type { Clock } from '#base/clock.ts';
import { type NanoUsd, nanoToUsd, priceToUsd, type UsdJson } from '#base/money.ts';
import { DAY_MS, HOUR_MS, iso, MINUTE_MS } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import { meanOf } from '#market/data/level-candles.ts';
import type { LevelChart } from '#market/data/level-chart.ts';
import type { Listings } from '#market/listing.ts';
import { LOOK_MS, type LoadStore, type PodLooks, STATISTICS_BUCKET_MS, type TokenStore } from '#observe/ports.ts';
import { RunCounts } from '#observe/run-counts.ts';

/** What the handlers read, each part through a narrow interface. */
export interface HistoryOptions {
  readonly listings: Listings;
  readonly load: LoadStore;
  readonly tokens: TokenStore;
  readonly charts: { chart(model: string): Promise<LevelChart> };
  readonly changes: Pick<ChangeLog, 'since'>;
  readonly pods: { states(): readonly { readonly model: string; readonly pod: string }[] };
  readonly clock: Clock;
}

/** The bins of each range, and the width of the spans that they are made of. */
const RANGES = {
  '1h': { lengthMs: HOUR_MS, binMs: MINUTE_MS, spanMs: MINUTE_MS },
  '24h': { lengthMs: DAY_MS, binMs: STATISTICS_BUCKET_MS, spanMs: STATISTICS_BUCKET_MS },
  '7d': { lengthMs: 7 * DAY_MS, binMs: HOUR_MS, spanMs: STATISTICS_BUCKET_MS },
} as const;

type Range = keyof typeof RANGES;

/** The bins of a range; the last one contains the current moment. */
interface Bins {
  readonly fromMs: number;
  readonly binMs: number;
  readonly spanMs: number;
  readonly nowMs: number;
  /** Where each begins. */
  readonly times: readonly number[];
}

/** More levels in one chart cannot be told apart. */
const MODELS_MAX = 5;

/** Changes that may explain what a chart shows. */
const MARKED = ['configuration.reload', ...['pod.add', 'pod.drain', 'pod.remove', 'pod.resume', 'pod.slots']] as const;

/** getHistory and getPodHistory. An unknown range becomes 24h, which the response names. */
export function historyHandlers(options: HistoryOptions) {
  return handlersOf({
    getHistory: async ({ call: { query } }) => ({ status: 200, json: await historyObject(query.range, options) }),
    getPodHistory: async ({ call: { query } }) => ({ status: 200, json: await podHistoryObject(query.range, options) }),
  });
}

async function historyObject(range: Range, options: HistoryOptions) {
  const bins = binsOf(range, options.clock.nowMs());
  const [spans, revenue, levels, marks] = await Promise.all([
    options.load.figures(bins.spanMs, bins.fromMs),
    revenueOf(bins, options),
    levelsOf(bins, options),
    marksOf(bins, options),
  ]);
  const inBins = Map.groupBy(spans, ({ atMs }) => binOf(atMs, bins));
  const figures = bins.times.map((atMs, bin) => figuresOf(inBins.get(bin) ?? [], elapsedMs(atMs, bins)));
  const column = <Name extends keyof Figures>(name: Name) => figures.map((each) => each[name]);
  return {
    object: 'history',
    ...headOf(range, bins),
    revenue_usd_per_minute: bins.times.map((atMs, bin) => {
      const earned = revenue?.get(atMs) ?? (revenue ? 0n : (figures[bin]?.charged ?? null));
      return earned === null ? null : perMinute(earned, elapsedMs(atMs, bins));
    }),
    utilisation: column('utilisation'),
    queued: column('queued'),
    failed: column('failed'),
    first_token_ms: { median: column('medianMs'), p95: column('p95Ms') },
    levels,
    marks,
  };
}

function headOf(range: Range, { fromMs, binMs, nowMs, times }: Bins) {
  return { range, at: iso(nowMs), from: fromMs / 1000, bin_seconds: binMs / 1000, bins: times.length };
}

function binsOf(range: Range, nowMs: number): Bins {
  const { lengthMs, binMs, spanMs } = RANGES[range];
  const fromMs = nowMs - (nowMs % binMs) + binMs - lengthMs;
  const times = Array.from({ length: lengthMs / binMs }, (_, bin) => fromMs + bin * binMs);
  return { fromMs, binMs, spanMs, nowMs, times };
}

function binOf(atMs: number, { fromMs, binMs }: Bins): number {
  return Math.floor((atMs - fromMs) / binMs);
}

/** Of the last bin only a part has passed. */
function elapsedMs(atMs: number, { binMs, nowMs }: Bins): number {
  return Math.min(binMs, Math.max(1, nowMs - atMs));
}

function perMinute(earned: NanoUsd, ms: number): UsdJson {
  return nanoToUsd(BigInt(Math.round((Number(earned) * MINUTE_MS) / ms)));
}

/** By bin, net of refunds, from the sums that settlements update; null for bins that are narrower than those. */
async function revenueOf({ fromMs, binMs, nowMs }: Bins, { listings, tokens }: HistoryOptions) {
  if (binMs < STATISTICS_BUCKET_MS) return null;
  const models = listings.all.map(({ id }) => id);
  const sums = await tokens.buckets(models, { fromMs, toMs: nowMs + 1, bucketMs: binMs });
  const revenue = new Map<number, NanoUsd>();
  for (const { atMs, earned } of sums) revenue.set(atMs, (revenue.get(atMs) ?? 0n) + earned);
  return revenue;
}

interface Figures {
  readonly charged: NanoUsd | null;
  readonly utilisation: number | null;
  readonly queued: number | null;
  readonly failed: number | null;
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

const UNKNOWN: Figures = { charged: null, utilisation: null, queued: null, failed: null, medianMs: null, p95Ms: null };

type Spans = Awaited<ReturnType<LoadStore['figures']>>;

/**
 * The figures of one bin. What waits and runs is added up over gateways, and averaged over the time in which any of them
 * looked; the slots are those of the same pods in every gateway.
 */
function figuresOf(spans: Spans, ms: number): Figures {
  if (spans.length === 0) return UNKNOWN;
  const sum = (of: (span: Spans[number]) => number) => spans.reduce((all, span) => all + of(span), 0);
  const looks = sum((span) => span.looks);
  // Several gateways look at the same time, and one after another where one was restarted.
  const moments = Math.max(1, Math.min(looks, Math.ceil(ms / LOOK_MS)));
  const slots = sum((span) => span.slots) / Math.max(1, looks);
  const firstTokens = new RunCounts();
  for (const span of spans) firstTokens.addPacked(span.firstTokens);
  const { count, at } = firstTokens.firstTokenMs;
  return {
    charged: spans.reduce((all, { charged }) => all + charged, 0n),
    utilisation: slots === 0 ? null : rounded(Math.min(1, sum((span) => span.busySlots) / moments / slots)),
    queued: looks === 0 ? null : rounded(sum((span) => span.queued) / moments),
    failed: sum((span) => span.failed),
    medianMs: count === 0 ? null : Math.round(at(0.5)),
    p95Ms: count === 0 ? null : Math.round(at(0.95)),
  };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** The mean level in each bin, of the markets that earned most in the range. */
async function levelsOf({ fromMs, nowMs, binMs, times }: Bins, { listings, tokens, charts }: HistoryOptions) {
  const markets = listings.all.filter(({ type, preview }) => type === 'market' && !preview);
  const models = markets.map(({ id }) => id);
  const window = { fromMs: fromMs - (fromMs % STATISTICS_BUCKET_MS), toMs: nowMs + 1, bucketMs: STATISTICS_BUCKET_MS };
  const earned = new Map((await tokens.sums(models, window)).map((sum) => [sum.model, sum.earned]));
  const most = models.toSorted((one, other) => Number((earned.get(other) ?? 0n) - (earned.get(one) ?? 0n)));
  return Promise.all(
    most.slice(0, MODELS_MAX).map(async (model) => {
      const chart = await charts.chart(model);
      const levels = new Map<number, UsdJson>();
      chart.each(fromMs, fromMs + times.length * binMs, binMs, (atMs, span) => {
        levels.set(atMs, priceToUsd(meanOf(span)));
      });
      return { model, level: times.map((atMs) => levels.get(atMs) ?? null) };
    }),
  );
}

/** What people changed and when gateways started, oldest first. */
async function marksOf({ fromMs }: Bins, { changes, load }: HistoryOptions) {
  const [changed, starts] = await Promise.all([changes.since(fromMs, MARKED), load.starts(fromMs)]);
  const marks = [
    ...changed.map(({ atMs, what, who, subject }) => ({ atMs, what, who, subject })),
    ...starts.map(({ atMs, version, isNewVersion }) => ({
      ...{ atMs, what: isNewVersion ? 'gateway.deploy' : 'gateway.start', who: null, subject: version },
    })),
  ];
  return marks
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ atMs, what, who, subject }) => ({ at: iso(atMs), what, who, subject }));
}

async function podHistoryObject(range: Range, { load, pods, clock }: HistoryOptions) {
  const bins = binsOf(range, clock.nowMs());
  const seen = new Map<string, PodLooks[]>();
  for (const span of await load.pods(bins.spanMs, bins.fromMs))
    for (const [pod, looks] of Object.entries(span.pods)) {
      const own = seen.get(pod) ?? bins.times.map((): PodLooks => [0, 0, 0]);
      seen.set(pod, own);
      const bin = binOf(span.atMs, bins);
      const before = own[bin];
      if (before) own[bin] = [before[0] + looks[0], before[1] + looks[1], before[2] + looks[2]];
    }
  const data = pods.states().map(({ model, pod }) => ({
    ...{ model, pod },
    states: (seen.get(pod) ?? bins.times.map((): PodLooks => [0, 0, 0])).map(letterOf).join(''),
  }));
  return { object: 'pod_history', ...headOf(range, bins), data };
}

/** One letter for a bin, as openapi/console/schemas/history.yaml describes them. */
function letterOf([healthy, unhealthy, drained]: PodLooks): string {
  if (unhealthy > 0) return healthy > 0 || drained > 0 ? 'p' : 'd';
  if (drained > 0) return 'o';
  return healthy > 0 ? 'u' : '-';
}
