/** What markets continue from when this gateway comes to own them: hundreds at once, when their owner dies. */
import { type Clock, pause } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { MarketPast } from '#cluster/markets/market-host.ts';
import type { LevelBoard } from '#market/data/market-view.ts';
import { type Listing, marketTerms } from '#market/listing.ts';
import type { OpenMarket } from '#market/ports.ts';
import { CLEAR_RATE_WINDOW_MS } from '#market/price/clear-rate.ts';
import type { Database } from '#storage/database/database.ts';
import { latestLevels, latestQuotes } from '#storage/market/quotes.ts';

/** Reads the newest level and quote of a market; those of markets that are asked for together are read once. */
export function pastOfMarkets(db: Database, clock: Clock, log: Log): (model: string) => Promise<MarketPast> {
  let soon: ReturnType<typeof read> | null = null;
  const read = async () => {
    // All that are asked for in one turn of the event loop have been asked for by then.
    await pause(clock, 0);
    soon = null;
    const { levels, quotes } = await readPast(db, clock, log);
    return { levels: Map.groupBy(levels, modelOf), quotes: Map.groupBy(quotes, modelOf) };
  };
  return async (model) => {
    soon ??= read();
    const { levels, quotes } = await soon;
    return { levels: levels.get(model) ?? [], quotes: quotes.get(model) ?? [] };
  };
}

/** Reads the newest level and quote of every market. */
export async function readPast(db: Database, clock: Clock, log: Log): Promise<MarketPast> {
  const sinceMs = clock.nowMs() - CLEAR_RATE_WINDOW_MS;
  const [levels, quotes] = await Promise.all([latestLevels(db), latestQuotes(db, sinceMs, log)]);
  return { levels, quotes };
}

function modelOf({ model }: { readonly model: string }): string {
  return model;
}

/** What a new market begins with. */
interface OpeningParts {
  readonly clock: Clock;
  readonly past: () => Promise<MarketPast>;
  readonly board: LevelBoard;
  readonly feed: { add(model: string): void };
  readonly history: { add(model: string): void };
  readonly open: (market: OpenMarket) => void;
}

/**
 * Opens the markets of listings that are new; resolves when each has a level and a quote to show, after ten seconds without
 * those that wait for their owner. Everything that may fail is read before the first of them opens: when it rejects, none is
 * there.
 */
export async function openMarkets(parts: OpeningParts, listings: readonly Listing[]): Promise<void> {
  if (listings.length === 0) return;
  const { clock, board, feed, history, open } = parts;
  const { levels, quotes } = await parts.past();
  const markets = listings.filter(({ type }) => type === 'market').map(({ id }) => id);
  for (const listing of listings) {
    const { id: model, type } = listing;
    const ofModel = (row: { readonly model: string }) => row.model === model;
    const recovered = levels.find(ofModel) ?? null;
    if (type === 'market') {
      board.add(listing, recovered, clock.nowMs());
      feed.add(model);
      history.add(model);
    }
    const recoveredQuote = quotes.find(ofModel) ?? null;
    open({ type: 'open', model, listing: marketTerms(listing), recovered, recoveredQuote });
  }
  await board.whenQuoted(clock, markets);
}
