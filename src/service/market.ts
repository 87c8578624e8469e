/** Builds the market of a gateway: the exchange, and the parts that follow its levels and quotes. */
import { LOCK_WINDOW_S } from '#base/bounds.ts';
import { ClusterExchange } from '#cluster/markets/cluster-exchange.ts';
import { viewsAnywhere } from '#cluster/markets/far-views.ts';
import { marketFrames } from '#handlers/market-streams.ts';
import type { BookSource } from '#market/book/book-view.ts';
import { MarketFeed } from '#market/data/feed.ts';
import { LevelBoard } from '#market/data/market-view.ts';
import { MarketEventWriter } from '#market/exchange/event-writer.ts';
import { LocalExchange } from '#market/exchange/local-exchange.ts';
import type { SituationSource } from '#market/exchange/situation.ts';
import { type Listing, marketTerms } from '#market/listing.ts';
import type { LevelMoved, MarketEvent, QuoteLatched } from '#market/ports.ts';
import { CLEAR_RATE_WINDOW_MS } from '#market/price/clear-rate.ts';
import { LevelRecorder } from '#observe/level-recorder.ts';
import { RecordingFile } from '#observe/recording-file.ts';
import { createLevelPast, openRun } from '#storage/market/level-past.ts';
import { createLevelStore } from '#storage/market/levels.ts';
import { createQuoteStore } from '#storage/market/quotes.ts';
import { openMarkets } from './market-opening.ts';
import { pastOfMarkets } from './markets-past.ts';
import type { ClusterLinks } from './serving.ts';
import type { BuiltStorage, Outside } from './storage.ts';

/** What `buildMarket` builds. */
export type BuiltMarket = Awaited<ReturnType<typeof buildMarket>>;

/** Opens the exchange at the last recorded prices; it sends nothing before somebody listens. */
export async function buildMarket(parts: Outside & BuiltStorage, cluster: ClusterLinks | null) {
  const { config, clock, log, db, journal, levels, bootEpoch, startedAtMs } = parts;
  const { listings } = config;
  const board = new LevelBoard(listings.all, levels, clock.nowMs());
  const models = listings.all.filter(({ type }) => type === 'market').map(({ id }) => id);
  const feed = new MarketFeed({ clock, models, market: board, write: marketFrames(listings) });
  const { levelTimeConstantMs, quote, recording: folder } = config.market;
  const quotes = { ...quote, executeWindowMs: LOCK_WINDOW_S * 1000 };
  const recording = folder === null ? null : new RecordingFile({ folder, clock, log });
  const history = new LevelRecorder({ models, past: createLevelPast(db), journal, clock, log, bootEpoch });
  // In this order: if a start is cut off between the two, the next one still repairs the earlier run.
  if (!cluster || cluster.joined.alone) await history.recover();
  await openRun(db, bootEpoch, startedAtMs);

  const quoteCommitted = (latched: QuoteLatched) => {
    board.applyQuote(latched);
    feed.quoteLatched(latched.model);
  };
  const levelMoved = (event: LevelMoved) => {
    board.apply(event);
    history.take(event);
    feed.levelMoved(event.model);
  };
  const common = { ...{ levelTimeConstantMs, quotes }, random: parts.random, isHalted: () => journal.stalled };
  if (cluster) {
    const writer = new MarketEventWriter({ journal, log });
    const exchange = new ClusterExchange({
      ...{ self: bootEpoch, clock, log, listings: listings.all, store: cluster.joined.store },
      exchange: () => common,
      past: pastOfMarkets(db, clock),
      write: (event, epoch) => writer.take(event, epoch),
      ...cluster.links,
    });
    // Those of other gateways as well, and only what has committed.
    const take = (event: MarketEvent) => {
      if (event.type === 'level') levelMoved(event);
      else if (event.type === 'quote') quoteCommitted(event);
    };
    const views = viewsAnywhere({ exchange, calls: cluster.calls });
    // Of own markets alone.
    const books: BookSource & SituationSource = {
      book: async (model) => (await exchange.here(model)?.book()) ?? null,
      situation: async (model) => (await exchange.here(model)?.situation()) ?? null,
    };
    /** Where this gateway owns the market, now or later; another owner goes by its own file. */
    const renew = (listing: Listing) => exchange.renew(marketTerms(listing));
    const both = { board, feed, quotes, recording, views, books, history, take };
    return { ...both, exchange, clustered: exchange, open: null, renew };
  }
  const exchange = new LocalExchange({
    ...{ ...common, listings: listings.all, recovered: levels, clock },
    recoveredQuotes: await createQuoteStore(db).latest(clock.nowMs() - CLEAR_RATE_WINDOW_MS),
    ...(recording ? { record: (line: string) => recording.write(line), recordAfter: recording.after } : {}),
  });
  const writer = new MarketEventWriter({ journal, log, quoteCommitted });
  const take = (event: MarketEvent) => {
    if (event.type === 'level') levelMoved(event);
    void writer.take(event);
  };
  const stores = { levels: createLevelStore(db), quotes: createQuoteStore(db) };
  const open = (added: readonly Listing[]) => openMarkets({ ...stores, clock, board, feed, history, exchange }, added);
  /** Changes the terms of a market that is there, or opens one that was in preview. */
  const renew = (listing: Listing) => {
    exchange.send({ type: 'terms', model: listing.id, listing: marketTerms(listing) });
    board.renew(listing);
  };
  return {
    open,
    renew,
    board,
    feed,
    quotes,
    recording,
    exchange,
    clustered: null,
    views: exchange,
    books: exchange,
    history,
    take,
  };
}
