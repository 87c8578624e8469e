/** The history of a market's level: means by bucket, and candles. Spec 4.9. */
import assert from 'node:assert';
import type { Clock } from '#base/clock.ts';
import { priceToUsd, type UsdJson } from '#base/money.ts';
import { iso } from '#base/time.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import { rendered } from '#contract/reply.ts';
import { candleWidths, historyStretch, type Stretch, stretchOf } from '#market/data/history.ts';
import type { LevelChart } from '#market/data/level-chart.ts';
import { meanOf } from '#market/data/level-slots.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import { CandleRenderer } from './candles.ts';
import { conditionalReply, LEVEL_AGE_S } from './conditional.ts';

/** getMarketHistory and getMarketCandles. An unknown range becomes 24h, which the response names. */
export function marketHistoryHandlers({
  listings,
  market,
  charts,
  clock,
}: {
  listings: Listings;
  market: MarketView;
  charts: { chart(model: string): Promise<LevelChart> };
  clock: Clock;
}): HandlersFor<'getMarketHistory' | 'getMarketCandles'> {
  const current = (listing: Listing) => {
    const snapshot = market.current(listing.id);
    assert(snapshot, `no market for ${listing.id}`);
    return { current: priceToUsd(snapshot.level), preview: snapshot.preview || undefined };
  };
  const candles = new CandleRenderer();
  return {
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
  };
}

function pointsOf(chart: LevelChart, { fromS, toS, bucketS }: Stretch) {
  const points: { t: string; level: UsdJson }[] = [];
  chart.each(fromS * 1000, toS * 1000, bucketS * 1000, (atMs, span) => {
    points.push({ t: iso(atMs), level: priceToUsd(meanOf(span)) });
  });
  return points;
}
