/** Builds the market of a gateway: the exchange, and the parts that follow its levels and quotes. */
import { LOCK_WINDOW_S } from '#base/bounds.ts';
import { ClusterExchange } from '#cluster/markets/cluster-exchange.ts';
import { viewsAnywhere } from '#cluster/markets/far-views.ts';
import { marketFrames } from '#handlers/market.ts';
import { MarketFeed } from '#market/data/feed.ts';
import { LevelBoard } from '#market/data/market-view.ts';
import { marketEventWriter } from '#market/exchange/event-writer.ts';
import { LocalExchange, type MarketViews } from '#market/exchange/local-exchange.ts';
import { type Listing, marketTerms } from '#market/listing.ts';
import type { MarketEvent } from '#market/ports.ts';
import { CLEAR_RATE_WINDOW_MS } from '#market/price/clear-rate.ts';
import { LevelRecorder } from '#observe/level-recorder.ts';
import { RecordingFile } from '#observe/recording-file.ts';
import { createLevelPast, openRun } from '#storage/market/level-past.ts';
import { latestQuotes } from '#storage/market/quotes.ts';
import { openMarkets, pastOfMarkets, readPast } from './markets-past.ts';
import { ownVersion } from './own-version.ts';
import type { ClusterLinks } from './serving.ts';
import type { BuiltStorage, Outside } from './storage.ts';

/** What a market is built from; `cluster` is null where one gateway serves alone. */
export interface MarketParts {
  readonly outside: Outside;
  readonly storage: BuiltStorage;
  readonly cluster: ClusterLinks | null;
}

/** What `buildMarket` builds. */
export type BuiltMarket = Awaited<ReturnType<typeof buildMarket>>;

/** Opens the exchange at the last recorded prices; it sends nothing before somebody listens. */
export async function buildMarket({ outside, storage, cluster }: MarketParts) {
  const followers = await buildFollowers({ outside, storage, cluster });
  const trading = cluster
    ? clusterTrading({ outside, storage, cluster }, followers)
    : await localTrading({ outside, storage }, followers);
  return { ...followers, ...trading };
}

type Followers = Awaited<ReturnType<typeof buildFollowers>>;

/** What shows, sends and records the prices. */
async function buildFollowers({ outside, storage, cluster }: MarketParts) {
  const { config, clock, log } = outside;
  const { db, journal, levels, bootEpoch, startedAtMs } = storage;
  const { listings } = config;
  const board = new LevelBoard(listings.all, levels, clock.nowMs());
  const models = listings.all.filter(({ type }) => type === 'market').map(({ id }) => id);
  const feed = new MarketFeed({ clock, models, market: board, write: marketFrames(listings) });
  const { quote, recording: folder } = config.market;
  const recording = folder === null ? null : new RecordingFile({ folder, clock, log });
  const history = new LevelRecorder({ models, past: createLevelPast(db), journal, clock, log, bootEpoch });
  // In this order: if a start is cut off between the two, the next one still repairs the earlier run.
  if (!cluster || cluster.joined.alone) await history.recover();
  await openRun(db, bootEpoch, startedAtMs, ownVersion());
  return { board, feed, recording, history, quotes: { ...quote, executeWindowMs: LOCK_WINDOW_S * 1000 } };
}

/** What both kinds of exchange are made with. */
function commonOf({ outside, storage }: Omit<MarketParts, 'cluster'>, { quotes }: Followers) {
  const { levelTimeConstantMs } = outside.config.market;
  return { levelTimeConstantMs, quotes, random: outside.random, isHalted: () => storage.journal.stalled };
}

/** Markets that several gateways share, each owned by one of them. */
function clusterTrading(
  { outside, storage, cluster }: MarketParts & { readonly cluster: ClusterLinks },
  followers: Followers,
) {
  const { config, clock, log } = outside;
  const { db, journal, bootEpoch } = storage;
  const { board, feed, history } = followers;
  const write = marketEventWriter({ journal, log });
  const exchange = new ClusterExchange({
    self: bootEpoch,
    clock,
    log,
    listings: config.listings.all,
    store: cluster.joined.store,
    exchange: () => commonOf({ outside, storage }, followers),
    past: pastOfMarkets(db, clock, log),
    write,
    ...cluster.links,
  });
  // Of own markets alone.
  const books: Pick<MarketViews, 'book' | 'situation'> = {
    book: async (model) => (await exchange.here(model)?.book(model)) ?? null,
    situation: async (model) => (await exchange.here(model)?.situation(model)) ?? null,
  };
  return {
    exchange,
    clustered: exchange,
    views: viewsAnywhere(exchange, cluster.calls),
    books,
    /** Events of other gateways as well, and only what has committed. */
    take: (event: MarketEvent) => follow(event, followers),
    open: (added: readonly Listing[]) =>
      openMarkets(
        {
          past: () => readPast(db, clock, log),
          clock,
          board,
          feed,
          history,
          open: ({ listing }) => exchange.renew(listing),
        },
        added,
      ),
    /** The terms count where this gateway owns the market, now or later; another owner goes by its own file. */
    renew(listing: Listing) {
      exchange.renew(marketTerms(listing));
      board.renew(listing);
    },
  };
}

/** Markets that this gateway has alone. */
async function localTrading({ outside, storage }: Omit<MarketParts, 'cluster'>, followers: Followers) {
  const { config, clock, log } = outside;
  const { db, journal } = storage;
  const { board, feed, history, recording } = followers;
  const exchange = new LocalExchange({
    ...commonOf({ outside, storage }, followers),
    clock,
    listings: config.listings.all,
    recovered: storage.levels,
    recoveredQuotes: await latestQuotes(db, clock.nowMs() - CLEAR_RATE_WINDOW_MS, log),
    ...(recording ? { record: (line: string) => recording.write(line), recordAfter: recording.after } : {}),
  });
  const write = marketEventWriter({ journal, log, quoteCommitted: (latched) => follow(latched, followers) });
  return {
    exchange,
    clustered: null,
    views: exchange,
    books: exchange,
    take(event: MarketEvent) {
      if (event.type === 'level') follow(event, followers);
      void write(event);
    },
    open: (added: readonly Listing[]) =>
      openMarkets(
        {
          past: () => readPast(db, clock, log),
          clock,
          board,
          feed,
          history,
          open: (command) => exchange.send(command),
        },
        added,
      ),
    /** Changes the terms of a market that is there, or opens one that was in preview. */
    renew(listing: Listing) {
      exchange.send({ type: 'terms', model: listing.id, listing: marketTerms(listing) });
      board.renew(listing);
    },
  };
}

/** Shows, records and sends a level that moved or a quote that has committed. */
function follow(event: MarketEvent, { board, feed, history }: Followers): void {
  if (event.type === 'level') {
    board.apply(event);
    history.take(event);
    feed.levelMoved(event.model);
  } else if (event.type === 'quote') {
    board.applyQuote(event);
    feed.quoteLatched(event.model);
  }
}
