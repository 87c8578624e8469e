/**
 * What a bid would meet: what waits at which bid, as far as it may be shown (docs/decisions/0042); when an order at a price
 * would start, what it would cost, and the lowest price for a chance (docs/decisions/0057).
 */
import { invalidRequest } from '#base/fault.ts';
import { nanoToUsd, type PriceNano, priceFromUsd, priceToUsd } from '#base/money.ts';
import { iso } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import type { QueryOf } from '#contract/operation.ts';
import type { JsonOf } from '#contract/reply.ts';
import { chargeOf, type Tokens } from '#ledger/tariff.ts';
import { type Estimate, Estimates, type SentOrders } from '#market/estimates/estimates.ts';
import type { OddsSource } from '#market/estimates/odds.ts';
import type { Reliability } from '#market/estimates/reliability.ts';
import { type ChanceByTime, chanceWithin, waitFor } from '#market/estimates/start-chance.ts';
import { DEPTH_ACCOUNTS_MIN, type MarketDepth, upTheDecade } from '#market/exchange/depth.ts';
import type { MarketViews } from '#market/exchange/local-exchange.ts';
import type { Listing } from '#market/listing.ts';
import type { QuoteSettings } from '#market/price/quote.ts';
import { SharedAnswers } from './conditional.ts';
import type { MarketReading } from './market.ts';

/** A picture is taken once in a window of the quote; of another gateway it is asked as seldom as this. */
const AGE_S = 5;

/** getMarketDepth. A preview has no orders, and so no depth. */
export function marketDepthHandlers(options: Omit<MarketReading, 'market'> & { depths: Pick<MarketViews, 'depth'> }) {
  const { listings, depths, clock } = options;
  const answers = new SharedAnswers<JsonOf<'getMarketDepth'>>(clock, AGE_S);
  return handlersOf({
    getMarketDepth: ({ query, headers }) => {
      const listing = listings.forMarket(query.model);
      return answers.reply(headers, listing.id, async () =>
        depthObject(listing, listing.preview ? null : await depths.depth(listing.id)),
      );
    },
  });
}

function depthObject({ id, preview }: Listing, depth: MarketDepth | null) {
  return {
    model: id,
    taken_at: depth && iso(depth.atMs),
    slots: depth?.slots ?? null,
    busy_slots: depth?.held ?? null,
    accounts_min: DEPTH_ACCOUNTS_MIN,
    steps: depth?.steps.map(({ price, orders }) => ({ price: priceToUsd(price), orders })) ?? [],
    preview: preview || undefined,
  };
}

const WITHIN_S = 60;
/** The chance that is looked for if neither a price nor a chance is given. */
const CHANCE = 0.9;

/** What a caller asks. */
interface Question extends SentOrders {
  readonly limit: PriceNano | null;
  readonly priceLock: boolean;
  readonly chance: number | null;
  /** Of each request; null when not given. */
  readonly tokens: Tokens | null;
}

/** getMarketEstimate. A preview has no orders, and so no estimate. */
export function marketEstimateHandlers(
  parts: MarketReading & { quotes: Pick<QuoteSettings, 'executeWindowMs'>; odds: OddsSource },
) {
  const { listings, market, quotes, odds, clock } = parts;
  const estimates = new Estimates(odds, clock);
  const bidOf = ({ limit, priceLock, chance, ...sent }: Question, model: string, estimate: Estimate | null) => {
    if (chance !== null) return estimate?.lowestBid(chance, sent) ?? null;
    const quote = priceLock ? (market.quote(model)?.price ?? null) : null;
    return quote === null ? limit : Math.min(quote, limit ?? quote);
  };
  return handlersOf({
    getMarketEstimate: async ({ query, address }) => {
      const listing = listings.forMarket(query.model);
      const question = { ...questionOf(query, quotes), caller: address };
      const estimate = listing.preview ? null : await estimates.of(listing.id);
      const bid = bidOf(question, listing.id, estimate);
      const level = market.current(listing.id)?.level ?? null;
      const json = {
        model: listing.id,
        taken_at: estimate && iso(estimate.atMs),
        level: level === null ? null : priceToUsd(level),
        bid: bid === null ? null : priceToUsd(bid),
        requests: question.orders,
        within_seconds: question.withinS,
        ...startTimes(bid === null ? null : (estimate?.chances(bid, question) ?? null), question.withinS),
        ...chargesOf(listing, bid, level, question),
        reliability: estimate?.reliability.map(reliabilityObject) ?? [],
        preview: listing.preview || undefined,
      };
      return { status: 200, headers: { 'cache-control': 'no-store' }, json };
    },
  });
}

function questionOf(
  query: QueryOf<'getMarketEstimate'>,
  { executeWindowMs }: Pick<QuoteSettings, 'executeWindowMs'>,
): Question {
  const { price_limit: usd, price_lock: priceLock, chance } = query;
  const limit = usd === null ? null : priceFromUsd(usd);
  const hasPrice = limit !== null || priceLock;
  if (chance !== null && hasPrice) {
    const message = 'Give a price (price_limit, price_lock=true or both) or a chance, not both.';
    throw invalidRequest('chance', message);
  }
  const { input_tokens: input, output_tokens: output } = query;
  return {
    ...{ limit, priceLock, chance: chance ?? (hasPrice ? null : CHANCE) },
    // Rounded to the grid, so that nobody can count a book by asking about one request more each time.
    orders: Math.ceil(upTheDecade(query.requests)),
    withinS: query.within_s ?? (priceLock ? executeWindowMs / 1000 : WITHIN_S),
    tokens: input === null && output === null ? null : { uncached: input ?? 0, cached: 0, output: output ?? 0 },
  };
}

/** An order pays the level if it bids more, and else its bid. */
function chargesOf(listing: Listing, bid: PriceNano | null, level: PriceNano | null, { tokens, orders }: Question) {
  const priced = (price: PriceNano | null) => {
    if (price === null || tokens === null) return null;
    return nanoToUsd(chargeOf(listing.tariff, price, tokens) * BigInt(orders));
  };
  return {
    expected_charge_usd: priced(bid === null ? null : Math.min(bid, level ?? bid)),
    greatest_charge_usd: priced(bid),
  };
}

/** In hundredths, so that no single outcome shows. */
function reliabilityObject({ withinS, orders, brier, tenths }: Reliability) {
  return {
    within_seconds: withinS,
    orders: Math.round(orders),
    brier: brier === null ? null : Math.round(brier * 1000) / 1000,
    tenths: tenths.map(({ said, came, orders }) => ({
      said: Math.round(said * 100) / 100,
      came: Math.round(came * 100) / 100,
      orders: Math.round(orders),
    })),
  };
}

/** Chances are published in twentieths, and waits in tenths of a decade: enough to decide by, too little to count a book with. */
const CHANCE_STEPS = 20;

/**
 * The chance of a start and the waits as answers tell them, coarsely: a book must not be counted by asking. A chance is
 * null if it is not known. docs/decisions/0057.
 */
export function startTimes(chances: ChanceByTime | null, withinS: number) {
  const wait = (chance: number) => {
    const seconds = chances && waitFor(chances, chance);
    return seconds === null ? null : upTheDecade(seconds);
  };
  const within = chances && Math.floor(chanceWithin(chances, withinS) * CHANCE_STEPS + 0.5) / CHANCE_STEPS;
  return { chance: within, wait_p50_seconds: wait(0.5), wait_p90_seconds: wait(0.9) };
}
