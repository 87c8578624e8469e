/**
 * The history of a market: means of the level by bucket, candles, and what was quoted to locks, with the share of them that
 * started. Numbers of locks are shown by the quarter of an hour alone: two resolutions could be subtracted until a single
 * lock is left. Spec 4.9; docs/decisions/0042-depth-without-orders.md.
 */
import assert from 'node:assert';
import { priceToUsd, type UsdJson } from '#base/money.ts';
import { iso } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import { type JsonOf, rendered } from '#contract/reply.ts';
import { meanOf } from '#market/data/level-candles.ts';
import type { LevelChart } from '#market/data/level-chart.ts';
import type { Listing } from '#market/listing.ts';
import { LOCKS_MIN } from '#market/price/clear-rate.ts';
import type { QuoteSettings } from '#market/price/quote.ts';
import type { LockBucket, LockHistory } from '#observe/ports.ts';
import { CandleRenderer } from './candles.ts';
import { conditionalReply, LEVEL_AGE_S, SharedAnswers } from './conditional.ts';
import type { MarketReading } from './market.ts';
import { candleWidths, historyStretch, type LockRange, lockStretch, type Stretch, stretchOf } from './market-ranges.ts';

/** The levels of a market over the last month. */
export interface Charts {
  readonly charts: { chart(model: string): Promise<LevelChart> };
}

/** getMarketHistory and getMarketCandles. An unknown range becomes 24h, which the response names. */
export function marketHistoryHandlers(options: MarketReading & Charts) {
  const { listings, market, charts, clock } = options;
  const current = (listing: Listing) => {
    const snapshot = market.current(listing.id);
    assert(snapshot, `no market for ${listing.id}`);
    return { current: priceToUsd(snapshot.level), preview: snapshot.preview || undefined };
  };
  const candles = new CandleRenderer();
  return handlersOf({
    getMarketHistory: async ({ query, headers }) => {
      const listing = listings.forMarket(query.model);
      const { range } = query;
      const chart = await charts.chart(listing.id);
      const stretch = historyStretch(range, clock.nowMs());
      const { bucketS: bucket_seconds, fromS: from, toS: to } = stretch;
      const json = { range, model: listing.id, bucket_seconds, from, to, ...current(listing) };
      const raw = rendered({ ...json, points: pointsOf(chart, stretch) });
      return conditionalReply(headers, { raw, maxAgeS: LEVEL_AGE_S });
    },
    getMarketCandles: async ({ query, headers }) => {
      const listing = listings.forMarket(query.model);
      const { range } = query;
      const chart = await charts.chart(listing.id);
      const stretch = stretchOf(range, query.bucket, clock.nowMs());
      const buckets = { bucket_seconds: stretch.bucketS, bucket_choices: candleWidths };
      const json = { range, model: listing.id, ...buckets, ...current(listing) };
      const rendered = await candles.render(json, chart, stretch);
      return conditionalReply(headers, { ...rendered, maxAgeS: LEVEL_AGE_S });
    },
  });
}

function pointsOf(chart: LevelChart, { fromS, toS, bucketS }: Stretch) {
  const points: { t: string; level: UsdJson }[] = [];
  chart.each(fromS * 1000, toS * 1000, bucketS * 1000, (atMs, span) => {
    points.push({ t: iso(atMs), level: priceToUsd(meanOf(span)) });
  });
  return points;
}

const LOCKS_AGE_S = 10;

/**
 * getMarketLocks: two queries in ten seconds for each market and range. No more windows are read than a range has with
 * the present interval. An unknown range becomes 24h, which the response names.
 */
export function marketLocksHandlers(
  options: MarketReading & { quotes: Pick<QuoteSettings, 'intervalMs'>; locks: LockHistory },
) {
  const { listings, market, quotes, locks, clock } = options;
  const answers = new SharedAnswers<JsonOf<'getMarketLocks'>>(clock, LOCKS_AGE_S);
  const build = async ({ id: model, preview }: Listing, range: LockRange) => {
    const { bucketS: bucket_seconds, fromS: from, toS: to } = lockStretch(range, clock.nowMs());
    const times = { fromMs: from * 1000, toMs: to * 1000, bucketMs: bucket_seconds * 1000 };
    const windows = Math.ceil((times.toMs - times.fromMs) / quotes.intervalMs);
    const afterSeq = (market.quote(model)?.quoteSeq ?? 0) - windows;
    const points = (await locks({ model, ...times, afterSeq })).map((bucket) => ({
      ...{ t: bucket.atMs / 1000, windows: bucket.windows, price: priceToUsd(bucket.mean) },
      ...{ low: priceToUsd(bucket.low), high: priceToUsd(bucket.high) },
      ...locksOf(range === '24h' && bucket.atMs + 2 * times.bucketMs < times.toMs ? bucket : null),
    }));
    const interval_ms = quotes.intervalMs;
    const what = { range, model, bucket_seconds, interval_ms, from, to, locks_min: LOCKS_MIN };
    return { ...what, points, preview: preview || undefined };
  };
  return handlersOf({
    getMarketLocks: ({ query, headers }) => {
      const listing = listings.forMarket(query.model);
      const { range } = query;
      return answers.reply(headers, `${range} ${listing.id}`, () => build(listing, range));
    },
  });
}

/** The figures of a bucket that may be shown; all null for other buckets and for few locks. */
function locksOf(bucket: LockBucket | null) {
  const locks = bucket ? bucket.started + bucket.missed : 0;
  if (!bucket || locks < LOCKS_MIN) return { locks: null, started: null, started_share: null };
  const { started } = bucket;
  return { locks, started, started_share: Math.round((started / locks) * 10_000) / 10_000 };
}
