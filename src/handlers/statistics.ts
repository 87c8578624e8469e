/** What was charged, by model and over time, without the gateway's own probes. Spec 4.9. */
import type { Clock } from '#base/clock.ts';
import { priceToUsd } from '#base/money.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { Tokens } from '#ledger/tariff.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import type { TokenStore, TokenSum, TokenSumBucket } from '#observe/ports.ts';
import { windowOf } from '#observe/ranges.ts';
import type { ReadyView } from '#observe/ready.ts';
import { statisticsCaching } from './conditional.ts';
import { listingNamed } from './listing-named.ts';

/** getTokenStatistics and getModelStatistics. An unknown range becomes 24h, which the response names. */
export function statisticsHandlers({
  listings,
  market,
  ready,
  tokens,
  clock,
}: {
  listings: Listings;
  market: MarketView;
  ready: Pick<ReadyView, 'degraded'>;
  tokens: TokenStore;
  clock: Clock;
}): HandlersFor<'getTokenStatistics' | 'getModelStatistics'> {
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
  return {
    async getTokenStatistics({ query }) {
      const model = listingNamed(query.model, listings)?.id ?? null;
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
  };
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
