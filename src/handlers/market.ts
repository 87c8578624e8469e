/** The published level of one market, and of all. Spec 2.8, 4.9. */
import assert from 'node:assert';
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import { tokenPrices } from '#ledger/tariff.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketSnapshot, MarketView } from '#market/ports.ts';
import type { OpenHandler } from './call.ts';
import { textParam } from './query.ts';

/** What the market's readers need. */
export interface MarketDependencies {
  readonly listings: Listings;
  readonly market: MarketView;
}

/** getMarket and listLevels. Fixed-price models have no level: refused in the one, left out of the other. */
export function marketHandlers({ listings, market }: MarketDependencies): {
  readonly getMarket: OpenHandler;
  readonly listLevels: OpenHandler;
} {
  const snapshotOf = (listing: Listing): MarketSnapshot => {
    const snapshot = market.current(listing.id);
    assert(snapshot, `no market for ${listing.id}`);
    return snapshot;
  };
  return {
    getMarket: ({ query }) => {
      const listing = listings.forMarket(textParam(query, 'model'));
      return { status: 200, json: levelObject(listing, snapshotOf(listing)) };
    },
    listLevels: () => {
      const markets = listings.all.filter((listing) => listing.type === 'market').map(snapshotOf);
      return { status: 200, json: { levels: markets.map(levelEntry) } };
    },
  };
}

function levelObject(listing: Listing, snapshot: MarketSnapshot) {
  const prices = tokenPrices(listing.tariff, snapshot.level);
  return {
    model: listing.id,
    level: priceToUsd(snapshot.level),
    usd_per_million: {
      cached: nanoToUsd(prices.cached),
      uncached: nanoToUsd(prices.uncached),
      output: nanoToUsd(prices.output),
    },
    mode: snapshot.mode,
    degraded: snapshot.degraded,
    updated_at: new Date(snapshot.updatedAtMs).toISOString(),
    preview: snapshot.preview,
  };
}

function levelEntry({ model, level, preview }: MarketSnapshot) {
  return { model, level: priceToUsd(level), ...(preview ? { preview } : {}) };
}
