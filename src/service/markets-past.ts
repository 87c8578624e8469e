/** What markets continue from when this gateway comes to own them: hundreds at once, when their owner dies. */
import type { Clock } from '#base/clock.ts';
import type { MarketPast } from '#cluster/markets/market-host.ts';
import { CLEAR_RATE_WINDOW_MS } from '#market/price/clear-rate.ts';
import type { Database } from '#storage/database/database.ts';
import { createLevelStore, createQuoteStore } from '#storage/market/quotes.ts';

/** Reads the newest level and quote of a market; those of markets that are asked for together are read once. */
export function pastOfMarkets(db: Database, clock: Clock): (model: string) => Promise<MarketPast> {
  let soon: ReturnType<typeof read> | null = null;
  const read = async () => {
    // All that are asked for in one turn of the event loop have been asked for by then.
    await new Promise<void>((resolve) => clock.after(0, resolve));
    soon = null;
    const [levels, quotes] = await Promise.all([
      createLevelStore(db).latest(),
      createQuoteStore(db).latest(clock.nowMs() - CLEAR_RATE_WINDOW_MS),
    ]);
    return { levels: Map.groupBy(levels, modelOf), quotes: Map.groupBy(quotes, modelOf) };
  };
  return async (model) => {
    soon ??= read();
    const { levels, quotes } = await soon;
    return { levels: levels.get(model) ?? [], quotes: quotes.get(model) ?? [] };
  };
}

function modelOf({ model }: { readonly model: string }): string {
  return model;
}
