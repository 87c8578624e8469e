/** The published level of one market or of all, and the quote for locks. Spec 2.8, 4.9. */
import assert from 'node:assert';
import type { Clock } from '#base/clock.ts';
import { nanoToUsd, type PriceNano, priceToUsd } from '#base/money.ts';
import { iso } from '#base/time.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import { rendered } from '#contract/reply.ts';
import { tokenPrices } from '#ledger/tariff.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketSnapshot, MarketView, QuoteSnapshot } from '#market/ports.ts';
import { CLEAR_RATE_WINDOW_MS } from '#market/price/clear-rate.ts';
import type { QuoteSettings } from '#market/price/quote.ts';
import { conditionalReply, LEVEL_AGE_S } from './conditional.ts';

/** getMarket, listLevels and getPriceLock. Fixed-price models have no level: the list omits them, the others refuse. */
export function marketHandlers({
  listings,
  market,
  quotes,
  clock,
}: {
  listings: Listings;
  market: MarketView;
  quotes: QuoteSettings;
  clock: Clock;
}): HandlersFor<'getMarket' | 'listLevels' | 'getPriceLock'> {
  const snapshotOf = (listing: Listing): MarketSnapshot => {
    const snapshot = market.current(listing.id);
    assert(snapshot, `no market for ${listing.id}`);
    return snapshot;
  };
  return {
    getMarket: ({ query, headers }) => {
      const listing = listings.forMarket(query.model);
      const raw = rendered(levelObject(listing, snapshotOf(listing)));
      return conditionalReply(headers, { raw, maxAgeS: LEVEL_AGE_S });
    },
    listLevels: ({ headers }) => {
      const markets = listings.all.filter((listing) => listing.type === 'market').map(snapshotOf);
      const raw = rendered({ levels: markets.map(levelEntry) });
      return conditionalReply(headers, { raw, maxAgeS: LEVEL_AGE_S });
    },
    getPriceLock: ({ query }) => {
      const listing = listings.forMarket(query.model);
      const quote = market.quote(listing.id);
      assert(quote, `no quote for ${listing.id}`);
      const json = quoteObject(listing, quote, quotes, clock.nowMs());
      return { status: 200, headers: { 'cache-control': 'no-store' }, json };
    },
  };
}

function levelObject(listing: Listing, snapshot: MarketSnapshot) {
  return {
    model: listing.id,
    level: priceToUsd(snapshot.level),
    usd_per_million: usdPerMillion(listing, snapshot.level),
    mode: snapshot.mode,
    degraded: snapshot.degraded,
    updated_at: iso(snapshot.updatedAtMs),
    preview: snapshot.preview,
  };
}

function quoteObject(listing: Listing, quote: QuoteSnapshot, settings: QuoteSettings, nowMs: number) {
  return {
    price: priceToUsd(quote.price),
    previous_price: quote.previousPrice === null ? null : priceToUsd(quote.previousPrice),
    usd_per_million: usdPerMillion(listing, quote.price),
    valid_until: iso(quote.validUntilMs),
    valid_for_ms: Math.max(0, quote.validUntilMs - nowMs),
    interval_ms: settings.intervalMs,
    execute_window_seconds: settings.executeWindowMs / 1000,
    clear_rate: quote.clearRate,
    scarce_clear_rate: quote.scarceClearRate,
    attainable: quote.attainable,
    clear_rate_window_ms: CLEAR_RATE_WINDOW_MS,
    target_start_rate: settings.targetStartRate,
    preview: quote.preview || undefined,
  };
}

/** A level or quote as prices of the three kinds of token. */
export function usdPerMillion(listing: Listing, price: PriceNano) {
  const prices = tokenPrices(listing.tariff, price);
  return {
    cached: nanoToUsd(prices.cached),
    uncached: nanoToUsd(prices.uncached),
    output: nanoToUsd(prices.output),
  };
}

function levelEntry({ model, level, preview }: MarketSnapshot) {
  return { model, level: priceToUsd(level), preview: preview || undefined };
}
