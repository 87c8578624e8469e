/** The markets for the operator: what waits and runs in one, and what its level would do with other slots. */
import { LOCK_WINDOW_S } from '#base/bounds.ts';
import { type PriceNano, priceToUsd } from '#base/money.ts';
import { MINUTE_MS } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import type { QueryOf } from '#contract/operation.ts';
import type { MarketViews } from '#market/exchange/local-exchange.ts';
import type { MarketSituation } from '#market/exchange/situation.ts';
import { type Listings, marketTerms } from '#market/listing.ts';
import type { QuoteSettings } from '#market/price/quote.ts';
import type { PlayedMarket, WhatIf, WhatIfAnswer } from './played-market.ts';

/** What it needs. */
export interface WhatIfOptions {
  readonly listings: Listings;
  readonly books: Pick<MarketViews, 'book' | 'situation'>;
  readonly market: { readonly levelTimeConstantMs: number; readonly quote: Omit<QuoteSettings, 'executeWindowMs'> };
  /** Plays it, elsewhere: it takes up to a second or so. Throws Fault rate_limit_error. */
  readonly play: (question: WhatIf) => Promise<WhatIfAnswer | null>;
}

/** The part of the points whose mean is the end. */
const END_PART = 0.2;

/** foretellLevel. Throws Fault unknown_model, fixed_price_model and rate_limit_error. */
export function whatIfHandlers(options: WhatIfOptions) {
  return handlersOf({
    foretellLevel: async ({ call }) => ({ status: 200, json: await foretoldLevel(call.query, options) }),
  });
}

async function foretoldLevel(query: QueryOf<'foretellLevel'>, options: WhatIfOptions) {
  const { listings, books, market, play } = options;
  const listing = listings.forMarket(query.model);
  const { slots } = query;
  const situation = await books.situation(listing.id);
  const terms = marketTerms(listing);
  const quotes = { ...market.quote, executeWindowMs: LOCK_WINDOW_S * 1000 };
  const { levelTimeConstantMs } = market;
  const answer = situation && (await play({ terms, levelTimeConstantMs, quotes, situation, slots }));
  const unknown = situation === null ? 'elsewhere' : answer === null ? 'too_few_orders' : null;
  return { ...placeOf(listing.id, situation, slots), unknown, ...foretold(answer) };
}

function placeOf(model: string, situation: MarketSituation | null, slots: number) {
  return {
    object: 'foretold_level',
    model,
    level: situation && priceToUsd(situation.level),
    slots: situation?.slots ?? null,
    other_slots: slots,
    deeper: situation?.deeper ?? null,
  };
}

function foretold(answer: WhatIfAnswer | null) {
  if (!answer) return { minutes: null, as_it_is: null, changed: null, points: [], assumed: null };
  const { everyMs, asItIs, changed, runMs, arrivalsPerMinute } = answer;
  return {
    minutes: (everyMs * asItIs.levels.length) / MINUTE_MS,
    as_it_is: endOf(asItIs),
    changed: endOf(changed),
    points: asItIs.levels.map((level, point) => ({
      after_s: (everyMs * (point + 1)) / 1000,
      as_it_is: priceToUsd(level),
      changed: priceToUsd(changed.levels[point] ?? 0),
    })),
    assumed: { run_ms: Math.round(runMs), arrivals_per_minute: Math.round(arrivalsPerMinute * 10) / 10 },
  };
}

function endOf({ levels, waiting }: PlayedMarket) {
  const end = levels.slice(-Math.ceil(levels.length * END_PART));
  const mean: PriceNano = Math.round(end.reduce((sum, level) => sum + level, 0) / end.length);
  return { level: priceToUsd(mean), waiting };
}

interface BookOptions extends Pick<WhatIfOptions, 'listings' | 'books'> {
  /** How many orders of this gateway wait for money in a market. */
  readonly waitingForMoney: (model: string) => number;
}

/** getBook: of the model that the query names, or of the default model. Throws Fault unknown_model. */
export function bookHandlers({ listings, books, waitingForMoney }: BookOptions) {
  return handlersOf({
    async getBook({ call: { query } }) {
      const { id: model } = listings.named(query.model) ?? listings.default;
      const book = await books.book(model);
      return {
        status: 200,
        json: {
          object: 'book',
          model,
          waiting: book?.waiting ?? null,
          executing: book?.executing ?? null,
          parked: book && waitingForMoney(model),
          slots: book?.slots ?? null,
          bids: book?.bids.map(({ price, orders }) => ({ price: priceToUsd(price), orders })) ?? [],
          deeper: book?.deeper ?? null,
          turns: book?.turns.map(({ account, ...orders }) => ({ account_id: account, ...orders })) ?? [],
        },
      };
    },
  });
}
