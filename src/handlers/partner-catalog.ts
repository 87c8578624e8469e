/**
 * The catalog for aggregators, in both forms of their schema. Neither allows other keys, so only headers can say how
 * long the prices hold. Reading the catalog locks no price. Spec 4.9.
 */
import assert from 'node:assert';
import type { Clock } from '#base/clock.ts';
import { DAY_MS, iso } from '#base/time.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import { type Headers, type JsonOf, type Rendered, rendered } from '#contract/reply.ts';
import { tokenPrices } from '#ledger/tariff.ts';
import { type CatalogFacts, noFacts } from '#market/catalog-facts.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import type { ReadyView } from '#observe/ready.ts';
import { conditionalReply } from './conditional.ts';
import { flatPartnerEntry, partnerEntry } from './partner-entry.ts';

interface PartnerCatalogOptions {
  readonly listings: Listings;
  /** By model id; a model without facts may be absent. */
  readonly catalogs: ReadonlyMap<string, CatalogFacts>;
  readonly market: Pick<MarketView, 'quote'>;
  readonly ready: Pick<ReadyView, 'ready'>;
  /** How long a quote is valid. */
  readonly quotes: { readonly intervalMs: number };
  readonly clock: Clock;
}

/** getPartnerCatalog. Omits previews; lists deprecated models as not ready. Refuses an unknown format. */
export function partnerCatalogHandlers(options: PartnerCatalogOptions): HandlersFor<'getPartnerCatalog'> {
  const { listings, catalogs, market, ready, quotes, clock } = options;
  const offeredNow = () => listings.all.filter(({ preview }) => !preview);
  const quoteOf = (listing: Listing) => {
    const quote = market.quote(listing.id);
    assert(quote, `no quote for ${listing.id}`);
    return quote;
  };
  const pricesOf = (listing: Listing) =>
    tokenPrices(listing.tariff, listing.type === 'market' ? quoteOf(listing).price : 0);
  /** The first end of a quote; without markets, the end of the window that a quote would have. */
  const validUntilMs = (offered: readonly Listing[], nowMs: number) => {
    const ends = offered.filter(({ type }) => type === 'market').map((listing) => quoteOf(listing).validUntilMs);
    return ends.length > 0 ? Math.min(...ends) : nowMs - (nowMs % quotes.intervalMs) + quotes.intervalMs;
  };
  return {
    getPartnerCatalog({ headers: asked, query }) {
      const nowMs = clock.nowMs();
      const readyIds = new Set(ready.ready().map(({ id }) => id));
      const offered = offeredNow();
      const models = offered.map((listing) => {
        const facts = catalogs.get(listing.id) ?? noFacts;
        const deprecationDate = deprecationDateOf(listing, facts, nowMs);
        return { listing, facts, prices: pricesOf(listing), isReady: readyIds.has(listing.id), deprecationDate };
      });
      const raw: Rendered<JsonOf<'getPartnerCatalog'>> =
        query.format === null
          ? rendered({ data: models.map(partnerEntry) })
          : rendered({ data: models.map(flatPartnerEntry) });
      const untilMs = validUntilMs(offered, nowMs);
      const maxAgeS = Math.max(0, Math.floor((untilMs - nowMs) / 1000));
      const headers = validityHeaders(untilMs, quotes.intervalMs);
      return conditionalReply(asked, { raw, maxAgeS, headers });
    },
  };
}

function validityHeaders(untilMs: number, windowMs: number): Headers {
  return {
    'x-price-valid-until': iso(untilMs),
    'x-price-window-seconds': String(windowMs / 1000),
  };
}

/** As announced; but a deprecated model takes no requests any more, so its date is always in the past. */
function deprecationDateOf({ deprecated }: Listing, { deprecationDate: announced }: CatalogFacts, nowMs: number) {
  if (!deprecated) return announced;
  const yesterday = iso(nowMs - DAY_MS).slice(0, 10);
  return announced !== null && announced < yesterday ? announced : yesterday;
}
