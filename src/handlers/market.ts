/** The published levels and the quotes for locks, as they are now and as event streams. Spec 2.8, 4.9, 6.1. */
import assert from 'node:assert';
import type { Clock } from '#base/clock.ts';
import { nanoToUsd, type PriceNano, priceToUsd } from '#base/money.ts';
import { iso } from '#base/time.ts';
import { type Call, handlersOf } from '#contract/call.ts';
import { rendered, type StreamReply, type StreamWriter } from '#contract/reply.ts';
import { tokenPrices } from '#ledger/tariff.ts';
import type { BoardEntry, FrameStream, FrameWriter, MarketFeed } from '#market/data/feed.ts';
import type { Listing, Listings } from '#market/listing.ts';
import { type MarketSnapshot, type MarketView, type QuoteSnapshot, standingQuote } from '#market/ports.ts';
import { CLEAR_RATE_WINDOW_MS } from '#market/price/clear-rate.ts';
import type { QuoteSettings } from '#market/price/quote.ts';
import { conditionalReply, LEVEL_AGE_S } from './conditional.ts';

/** What the handlers of markets and statistics read. */
export interface MarketReading {
  readonly listings: Listings;
  readonly market: MarketView;
  readonly clock: Clock;
}

/** getMarket, listLevels and getPriceLock. Fixed-price models have no level: the list omits them, the others refuse. */
export function marketHandlers(options: MarketReading & { quotes: QuoteSettings }) {
  const { listings, market, quotes, clock } = options;
  const snapshotOf = (listing: Listing): MarketSnapshot => {
    const snapshot = market.current(listing.id);
    assert(snapshot, `no market for ${listing.id}`);
    return snapshot;
  };
  return handlersOf({
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
      const quote = standingQuote(market, listing.id);
      const json = quoteObject(listing, quote, quotes, clock.nowMs());
      return { status: 200, headers: { 'cache-control': 'no-store' }, json };
    },
  });
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

/**
 * streamMarket, streamLevels and streamPriceLock: a `data:` frame for each change, and the current values again as
 * keepalive. Frames are rendered once for all listeners. A slow caller misses frames and gets a snapshot once it can take
 * one: nothing is kept for it in between.
 */
export function marketStreamHandlers(options: Pick<MarketReading, 'listings'> & { feed: MarketFeed }) {
  const { listings, feed } = options;
  const model = ({ query }: Call<'streamMarket'>) => listings.forMarket(query.model).id;
  return handlersOf({
    streamMarket: (call) => streamOf(feed.level(model(call)), call),
    streamLevels: (call) => streamOf(call.query.view === 'board' ? feed.board : feed.levels, call),
    streamPriceLock: (call) => streamOf(feed.quote(model(call)), call),
  });
}

/** The frames of the three streams. */
export function marketFrames(listings: Listings): FrameWriter {
  const listing = (model: string): Listing => listings.forMarket(model);
  const flag = (preview: boolean) => (preview ? { preview } : {});
  const levelEntry = ({ model, level, updatedAtMs, preview }: MarketSnapshot) => ({
    model,
    level: priceToUsd(level),
    updated_at: iso(updatedAtMs),
    ...flag(preview),
  });
  const boardEntry = ({ snapshot, quote }: BoardEntry) => ({
    ...levelEntry(snapshot),
    degraded: snapshot.degraded,
    quote: quote && quoteEntry(quote),
  });
  return {
    level: ({ model, level, updatedAtMs, preview }) =>
      frame({
        level: priceToUsd(level),
        usd_per_million: usdPerMillion(listing(model), level),
        updated_at: iso(updatedAtMs),
        ...flag(preview),
      }),
    board: (markets) => frame({ levels: markets.map(boardEntry) }),
    levels: (snapshots) => frame({ levels: snapshots.map(levelEntry) }),
    quote: ({ model, preview, ...quote }) => {
      const { price, previous_price, valid_until } = quoteEntry(quote);
      const usd_per_million = usdPerMillion(listing(model), quote.price);
      return frame({ price, previous_price, usd_per_million, valid_until, ...flag(preview) });
    },
  };
}

function quoteEntry({ price, previousPrice, validUntilMs }: Omit<QuoteSnapshot, 'model' | 'preview'>) {
  return {
    price: priceToUsd(price),
    previous_price: previousPrice === null ? null : priceToUsd(previousPrice),
    valid_until: iso(validUntilMs),
  };
}

function streamOf(channel: FrameStream, call: Pick<Call<'streamMarket'>, 'onGone'>): StreamReply {
  return { status: 200, open: (out) => call.onGone(listen(channel, out)) };
}

function listen(channel: FrameStream, out: StreamWriter): () => void {
  let isBehind = false;
  return channel.follow({
    frame(text) {
      // An empty write returns whether the earlier ones have been sent.
      if (isBehind && !out.write('')) return;
      isBehind = !out.write(isBehind ? channel.snapshot() : text);
    },
    ended: () => out.end(),
  });
}

function frame(json: object): string {
  return `data: ${JSON.stringify(json)}\n\n`;
}
