/** What waits at which bid, as far as it may be shown. docs/decisions/0042. */
import type { Clock } from '#base/clock.ts';
import { priceToUsd } from '#base/money.ts';
import { iso } from '#base/time.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { JsonOf } from '#contract/reply.ts';
import { DEPTH_ACCOUNTS_MIN, type DepthSource, type MarketDepth } from '#market/exchange/depth.ts';
import type { Listing, Listings } from '#market/listing.ts';
import { SharedAnswers } from './shared-answers.ts';

/** A picture is taken once in a window of the quote; of another gateway it is asked as seldom as this. */
const AGE_S = 5;

interface MarketDepthOptions {
  readonly listings: Listings;
  readonly depths: DepthSource;
  readonly clock: Clock;
}

/** getMarketDepth. A preview has no orders, and so no depth. */
export function marketDepthHandlers({ listings, depths, clock }: MarketDepthOptions): HandlersFor<'getMarketDepth'> {
  const answers = new SharedAnswers<JsonOf<'getMarketDepth'>>(clock, AGE_S);
  return {
    getMarketDepth: ({ query, headers }) => {
      const listing = listings.forMarket(query.model);
      return answers.reply(headers, listing.id, async () =>
        depthObject(listing, listing.preview ? null : await depths.depth(listing.id)),
      );
    },
  };
}

function depthObject({ id, preview }: Listing, depth: MarketDepth | null) {
  return {
    model: id,
    taken_at: depth && iso(depth.atMs),
    slots: depth?.slots ?? null,
    busy_slots: depth?.held ?? null,
    accounts_min: DEPTH_ACCOUNTS_MIN,
    steps: depth?.steps.map(({ price, orders }) => ({ price: priceToUsd(price), orders })) ?? [],
    preview: preview || undefined,
  };
}
