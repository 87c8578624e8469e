/**
 * Event streams of levels and quotes: a `data:` frame for each change, and the current values again as keepalive.
 * Frames are rendered once for all listeners. A slow caller misses frames and gets a snapshot once it can take one:
 * nothing is kept for it in between. Spec 6.1.
 */
import { priceToUsd } from '#base/money.ts';
import { iso } from '#base/time.ts';
import type { Call } from '#contract/call.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { StreamReply, StreamWriter } from '#contract/reply.ts';
import type { BoardEntry, FrameStream, FrameWriter, MarketFeed } from '#market/data/feed.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketSnapshot, QuoteSnapshot } from '#market/ports.ts';
import { usdPerMillion } from './market.ts';

/** streamMarket, streamLevels and streamPriceLock. */
export function marketStreamHandlers({
  listings,
  feed,
}: {
  listings: Listings;
  feed: MarketFeed;
}): HandlersFor<'streamMarket' | 'streamLevels' | 'streamPriceLock'> {
  const model = ({ query }: Call<'streamMarket'>) => listings.forMarket(query.model).id;
  return {
    streamMarket: (call) => streamOf(feed.level(model(call)), call),
    streamLevels: (call) => streamOf(call.query.view === 'board' ? feed.board : feed.levels, call),
    streamPriceLock: (call) => streamOf(feed.quote(model(call)), call),
  };
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
