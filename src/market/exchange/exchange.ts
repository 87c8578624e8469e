/**
 * The exchange: all markets behind the plain messages of `ports.ts`. It decides only who runs next and at which level;
 * it knows nothing of money, requests or order states. It is synchronous and takes the time as an argument, so that a
 * recorded run can be replayed.
 */
import { lowestLevel, type MarketTerms } from '../listing.ts';
import type { AnyCommand, Capacity, LevelRow, OpenMarket, RecoveredQuote } from '../ports.ts';
import { Market, type MarketOptions } from './market.ts';
import { PreviewMarket } from './preview-market.ts';

/** What an exchange is opened with. */
export interface ExchangeOptions extends CommonOptions {
  readonly listings: readonly MarketTerms[];
  /** The newest level row of each model, from `latestLevels`. Levels and their numbers continue from there. */
  readonly recovered: readonly LevelRow[];
  /** From `latestQuotes`. Quotes, their numbers and their state continue from there. */
  readonly recoveredQuotes: readonly RecoveredQuote[];
  readonly nowMs: number;
}

/** What all markets have in common. */
type CommonOptions = Omit<MarketOptions, keyof OpenMarket | 'eventSeqFrom' | 'nowMs'>;

/** All markets. Commands go in by `handle`, events come out by `emit`. */
export class Exchange {
  readonly #markets = new Map<string, Market>();
  readonly #previews = new Map<string, PreviewMarket>();
  readonly #common: CommonOptions;

  /** Emits the first level and quote of each market and preview. */
  constructor({ listings, recovered, recoveredQuotes, nowMs, ...common }: ExchangeOptions) {
    this.#common = common;
    const rows = new Map(recovered.map((row) => [row.model, row]));
    const quotes = new Map(recoveredQuotes.map((quote) => [quote.model, quote]));
    for (const listing of listings) {
      const { id } = listing;
      this.#open({ listing, recovered: rows.get(id) ?? null, recoveredQuote: quotes.get(id) ?? null }, nowMs);
    }
  }

  /** Executes a command. Throws Error for a model that has no market: a bug in the order service. */
  handle(command: AnyCommand, nowMs: number): void {
    switch (command.type) {
      case 'rest':
        this.#market(command.model).rest(command, nowMs);
        break;
      case 'withdraw':
        this.#market(command.model).withdraw(command, nowMs);
        break;
      case 'reprice':
        this.#market(command.model).reprice(command.order, command.bid, nowMs);
        break;
      case 'release':
        this.#market(command.model).release(command, nowMs);
        break;
      case 'hold':
        this.#market(command.model).hold(command, nowMs);
        break;
      case 'capacity':
        this.#setCapacity(command, nowMs);
        break;
      case 'open':
        if (!this.#markets.has(command.model) && !this.#previews.has(command.model)) this.#open(command, nowMs);
        break;
      case 'terms':
        this.#renew(command.listing, nowMs);
    }
  }

  /** Moves every level. Call it once a second. */
  tick(nowMs: number): void {
    for (const market of this.#markets.values()) market.tick(nowMs);
    for (const preview of this.#previews.values()) preview.tick(nowMs);
  }

  /** Latches the quotes whose windows have ended. Call it at each multiple of the quote interval. */
  latchQuotes(nowMs: number): void {
    for (const market of this.#markets.values()) market.count(nowMs);
    for (const preview of this.#previews.values()) preview.count(nowMs);
  }

  /** Positions from 1, in the order asked; null where an order is not in a book. */
  positions(model: string, orders: readonly string[]): (number | null)[] {
    const market = this.#markets.get(model);
    return orders.map((order) => market?.position(order) ?? null);
  }

  /** The market of a model; null for none, also for a preview. */
  find(model: string): Market | null {
    return this.#markets.get(model) ?? null;
  }

  #open({ listing, ...past }: Omit<OpenMarket, 'type' | 'model'> & { eventSeqFrom?: number }, nowMs: number): void {
    const { recovered, recoveredQuote, eventSeqFrom = 0 } = past;
    const options = { ...this.#common, nowMs, listing: bounded(listing), recovered, recoveredQuote, eventSeqFrom };
    if (listing.preview) this.#previews.set(listing.id, new PreviewMarket(options));
    else this.#markets.set(listing.id, new Market(options));
  }

  #renew(listing: MarketTerms, nowMs: number): void {
    this.#markets.get(listing.id)?.renew(bounded(listing), nowMs);
    const preview = this.#previews.get(listing.id);
    if (!preview) return;
    preview.count(nowMs);
    const { capacities, ...past } = preview.past(nowMs);
    this.#previews.delete(listing.id);
    this.#open({ listing, ...past }, nowMs);
    for (const capacity of capacities) this.#setCapacity(capacity, nowMs);
  }

  #setCapacity(capacity: Capacity, nowMs: number): void {
    this.#markets.get(capacity.model)?.capacity(capacity, nowMs);
    this.#previews.get(capacity.model)?.capacity(capacity);
  }

  #market(model: string): Market {
    const market = this.#markets.get(model);
    if (!market) throw new Error(`there is no market for ${model}`);
    return market;
  }
}

/** Clears at its lowest level, as a floor. */
function bounded(listing: MarketTerms): MarketTerms {
  return { ...listing, floor: lowestLevel(listing) };
}
