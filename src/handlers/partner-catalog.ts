/**
 * The catalog that aggregators read, in either form of their schema. Neither takes keys but its own: how long its prices
 * hold can only be said in headers. Reading it locks nothing. Spec 4.9.
 */
import assert from 'node:assert';
import type { Clock } from '#base/clock.ts';
import { tokenPrices } from '#ledger/tariff.ts';
import { type CatalogFacts, noFacts } from '#market/catalog-facts.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import type { ReadyView } from '#observe/ready.ts';
import type { Headers, OpenHandler } from './call.ts';
import { conditionalReply } from './conditional.ts';
import { flatPartnerEntry } from './flat-partner-entry.ts';
import { partnerEntry } from './partner-entry.ts';
import { choiceParam } from './query.ts';

/** What the catalog is made of. */
export interface PartnerCatalogDependencies {
  readonly listings: Listings;
  /** By model id; a model without facts may be absent. */
  readonly catalogs: ReadonlyMap<string, CatalogFacts>;
  readonly market: Pick<MarketView, 'quote'>;
  readonly ready: Pick<ReadyView, 'ready'>;
  /** How long a quote stands. */
  readonly quotes: { readonly intervalMs: number };
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;

/** getPartnerCatalog. Previews are left out; a deprecated model stays, not ready. Refuses a format that it has not. */
export function partnerCatalogHandlers(parts: PartnerCatalogDependencies): { readonly getPartnerCatalog: OpenHandler } {
  const { listings, catalogs, market, ready, quotes, clock } = parts;
  const offered = listings.all.filter(({ preview }) => !preview);
  const quoteOf = (listing: Listing) => {
    const quote = market.quote(listing.id);
    assert(quote, `no quote for ${listing.id}`);
    return quote;
  };
  const pricesOf = (listing: Listing) =>
    tokenPrices(listing.tariff, listing.type === 'market' ? quoteOf(listing).price : 0);
  /** The soonest end of a quote; with fixed prices alone, the next edge of the windows they would have. */
  const validUntilMs = (nowMs: number) => {
    const ends = offered.filter(({ type }) => type === 'market').map((listing) => quoteOf(listing).validUntilMs);
    return ends.length > 0 ? Math.min(...ends) : nowMs - (nowMs % quotes.intervalMs) + quotes.intervalMs;
  };
  return {
    getPartnerCatalog({ headers: asked, query }) {
      const nowMs = clock.nowMs();
      const entryOf = choiceParam(query, 'format', ['flat']) === null ? partnerEntry : flatPartnerEntry;
      const readyIds = new Set(ready.ready().map(({ id }) => id));
      const data = offered.map((listing) => {
        const facts = catalogs.get(listing.id) ?? noFacts;
        const deprecationDate = deprecationDateOf(listing, facts, nowMs);
        return entryOf({
          listing,
          facts,
          prices: pricesOf(listing),
          isReady: readyIds.has(listing.id),
          deprecationDate,
        });
      });
      const untilMs = validUntilMs(nowMs);
      const maxAgeS = Math.max(0, Math.floor((untilMs - nowMs) / 1000));
      const headers = validityHeaders(untilMs, quotes.intervalMs);
      return conditionalReply(asked, { raw: JSON.stringify({ data }), maxAgeS, headers });
    },
  };
}

function validityHeaders(untilMs: number, windowMs: number): Headers {
  return {
    'x-price-valid-until': new Date(untilMs).toISOString(),
    'x-price-window-seconds': String(windowMs / 1000),
  };
}

/** As announced. A model that takes no requests any more has a day that is over, whatever was announced. */
function deprecationDateOf({ deprecated }: Listing, { deprecationDate: announced }: CatalogFacts, nowMs: number) {
  if (!deprecated) return announced;
  const yesterday = new Date(nowMs - DAY_MS).toISOString().slice(0, 10);
  return announced !== null && announced < yesterday ? announced : yesterday;
}
