/** Every model at a glance: one answer that everybody shares, so that a page with many viewers costs what one does. */
import assert from 'node:assert';
import type { Clock } from '#base/clock.ts';
import { priceToUsd, type UsdJson } from '#base/money.ts';
import { DAY_MS, iso } from '#base/time.ts';
import type { HandlersFor } from '#contract/call.ts';
import type { JsonOf } from '#contract/reply.ts';
import { wirePrices } from '#ledger/receipt.ts';
import { meanOf } from '#market/data/level-candles.ts';
import { keptCandles, type LevelChart } from '#market/data/level-chart.ts';
import type { MarketViews } from '#market/exchange/local-exchange.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketSnapshot, MarketView } from '#market/ports.ts';
import { type ProbeStore, type TokenStore, windowOf } from '#observe/ports.ts';
import type { ReadyView } from '#observe/probe.ts';
import { SharedAnswers } from './conditional.ts';
import { usdPerMillion } from './market.ts';
import { type Stretch, sparklineStretch } from './market-ranges.ts';
import { tokenFields, uptimeOf } from './statistics.ts';

/** How old the answer may be. Statistics change with every order; levels that move meanwhile have their stream. */
const AGE_S = 5;

interface MarketSummaryOptions {
  readonly listings: Listings;
  readonly market: MarketView;
  readonly charts: { chart(model: string): Promise<LevelChart> };
  readonly depths: Pick<MarketViews, 'depth'>;
  readonly ready: Pick<ReadyView, 'answered' | 'degraded'>;
  readonly tokens: Pick<TokenStore, 'sums'>;
  readonly probes: Pick<ProbeStore, 'sums'>;
  readonly clock: Clock;
}

/** The options, and what the database and the charts have of the last 24 hours. */
type Board = Awaited<ReturnType<typeof readBoard>>;

/** getMarketSummary: two queries in five seconds, of the buckets of one day, for all callers. */
export function marketSummaryHandlers(options: MarketSummaryOptions): HandlersFor<'getMarketSummary'> {
  const { listings, clock } = options;
  const answers = new SharedAnswers<JsonOf<'getMarketSummary'>>(clock, AGE_S);
  const build = async () => {
    const { all } = listings;
    const board = await readBoard(all, options);
    const { bucketS: bucket_seconds, fromS: from, toS: to } = sparklineStretch(board.nowMs);
    const updated_at = iso(board.nowMs);
    const models = all.map((listing) => rowOf(listing, board));
    return { updated_at, bucket_seconds, from, to, default: listings.default.id, models };
  };
  return { getMarketSummary: ({ headers }) => answers.reply(headers, 'summary', build) };
}

async function readBoard(all: readonly Listing[], options: MarketSummaryOptions) {
  const { tokens, probes, charts, depths, clock } = options;
  const ids = all.map(({ id }) => id);
  const markets = all.filter(({ type }) => type === 'market');
  const window = windowOf('24h', clock.nowMs());
  const [tokenSums, probeSums, levels, pictures] = await Promise.all([
    tokens.sums(ids, window),
    probes.sums(ids, window),
    Promise.all(markets.map(async ({ id }) => [id, await charts.chart(id)] as const)),
    Promise.all(markets.map(async ({ id, preview }) => [id, preview ? null : await depths.depth(id)] as const)),
  ]);
  return {
    ...options,
    nowMs: clock.nowMs(),
    tokensOf: new Map(tokenSums.map((sum) => [sum.model, sum])),
    probesOf: new Map(probeSums.map((sum) => [sum.model, sum])),
    chartOf: new Map(levels),
    depthOf: new Map(pictures),
  };
}

function rowOf(listing: Listing, board: Board) {
  const { id, displayName, type, preview, deprecated } = listing;
  const { market, ready, tokensOf, probesOf, depthOf } = board;
  const snapshot = market.current(id);
  const probes = probesOf.get(id);
  const depth = depthOf.get(id);
  return {
    model: id,
    display_name: displayName,
    pricing: type,
    ...(snapshot ? marketFields(listing, snapshot, board) : fixedFields(listing)),
    uptime_pct: probes && ready.answered(id) ? uptimeOf(probes) : null,
    ...tokenFields(preview ? undefined : tokensOf.get(id)),
    slots: depth?.slots ?? null,
    busy_slots: depth?.held ?? null,
    degraded: snapshot ? snapshot.degraded : ready.degraded(id),
    preview,
    deprecated,
  };
}

function fixedFields({ tariff }: Listing) {
  return {
    level: null,
    usd_per_million: wirePrices(tariff),
    change_24h_pct: null,
    sparkline: null,
    quote: null,
  };
}

function marketFields(listing: Listing, { level }: MarketSnapshot, { chartOf, market, nowMs }: Board) {
  const chart = chartOf.get(listing.id);
  const quote = market.quote(listing.id);
  assert(chart, `no chart for ${listing.id}`);
  return {
    level: priceToUsd(level),
    usd_per_million: usdPerMillion(listing, level),
    change_24h_pct: changePercent(level, dayAgo(chart, nowMs)),
    sparkline: sparklineOf(chart, sparklineStretch(nowMs)),
    quote: quote && { price: priceToUsd(quote.price), valid_until: iso(quote.validUntilMs) },
  };
}

/** The level 24 hours ago, to the quarter of a minute; null when no gateway was up. */
function dayAgo(chart: LevelChart, nowMs: number): number | null {
  const { widthMs } = keptCandles.quarters;
  const fromMs = nowMs - DAY_MS - (nowMs % widthMs);
  let level: number | null = null;
  chart.each(fromMs, fromMs + widthMs, widthMs, (_, span) => {
    level = span.close;
  });
  return level;
}

function changePercent(level: number, before: number | null): number | null {
  return before === null || before === 0 ? null : Math.round(((level - before) / before) * 100_000) / 1000;
}

function sparklineOf(chart: LevelChart, { fromS, toS, bucketS }: Stretch): (UsdJson | null)[] {
  const points: (UsdJson | null)[] = Array.from({ length: (toS - fromS) / bucketS }, () => null);
  chart.each(fromS * 1000, toS * 1000, bucketS * 1000, (atMs, span) => {
    points[(atMs / 1000 - fromS) / bucketS] = priceToUsd(meanOf(span));
  });
  return points;
}
