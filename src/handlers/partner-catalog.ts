/**
 * The catalog that aggregators read, in the provider schema 2.4, which takes no keys but its own: how long its prices
 * hold can only be said in headers. Reading it locks nothing. Spec 4.9.
 */
import assert from 'node:assert';
import { OUTPUT_CAP_MAX, STOP_SEQUENCES } from '#base/bounds.ts';
import type { Clock } from '#base/clock.ts';
import type { NanoUsd } from '#base/money.ts';
import { tokenPrices } from '#ledger/tariff.ts';
import { type CatalogFacts, noFacts, type ParameterDescriptor } from '#market/catalog-facts.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import type { ReadyView } from '#observe/ready.ts';
import type { Headers, OpenHandler } from './call.ts';
import { conditionalReply } from './conditional.ts';
import { perToken } from './per-token.ts';

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

/** getPartnerCatalog. Previews are left out; a deprecated model stays, not ready. */
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
    getPartnerCatalog({ headers: asked }) {
      const nowMs = clock.nowMs();
      const readyIds = new Set(ready.ready().map(({ id }) => id));
      const data = offered.map((listing) => {
        const entry = { listing, facts: catalogs.get(listing.id) ?? noFacts, prices: pricesOf(listing) };
        return entryOf({ ...entry, isReady: readyIds.has(listing.id), nowMs });
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

interface Entry {
  readonly listing: Listing;
  readonly facts: CatalogFacts;
  readonly prices: Readonly<Record<'cached' | 'uncached' | 'output', NanoUsd>>;
  readonly isReady: boolean;
  readonly nowMs: number;
}

function entryOf({ listing, facts, prices, isReady, nowMs }: Entry) {
  const { huggingFaceId, datacenters, zdr, hipaa } = facts;
  const date = deprecationDate(listing, facts, nowMs);
  return {
    schema_version: '2.4',
    id: listing.id,
    name: listing.displayName,
    created: listing.createdAtS,
    ...(huggingFaceId === null ? {} : { hugging_face_id: huggingFaceId }),
    input_modalities: [
      {
        type: 'text',
        supported_inputs: { max_context_length: { value: listing.contextLength, unit: 'token' } },
        pricing: [costOf('prompt', prices.uncached), costOf('cached_prompt', prices.cached)],
      },
    ],
    output_modalities: [
      {
        type: 'text',
        supported_parameters: facts.supportedParameters ?? checkedParameters(listing),
        max_length: { value: listing.outputLengthMax, unit: 'token' },
        streaming: true,
        pricing: [costOf('completion', prices.output)],
      },
    ],
    ...(date === null ? {} : { deprecation_date: date }),
    is_ready: isReady,
    ...(datacenters.length === 0 ? {} : { datacenters: datacenters.map(datacenterOf) }),
    compliance: { zdr, ...(hipaa === null ? {} : { hipaa }) },
  };
}

function costOf(type: 'prompt' | 'cached_prompt' | 'completion', price: NanoUsd) {
  return { type, unit: 'token', cost_usd: perToken(price) };
}

function datacenterOf({ countryCode, region }: CatalogFacts['datacenters'][number]) {
  return { country_code: countryCode, ...(region === null ? {} : { region }) };
}

/** The parameters whose bounds the gateway itself checks. */
function checkedParameters({ outputLengthMax }: Listing): Readonly<Record<string, ParameterDescriptor>> {
  return {
    max_tokens: { type: 'integer', min: 1, max: Math.min(outputLengthMax, OUTPUT_CAP_MAX) },
    temperature: { type: 'range', min: 0, max: 2 },
    top_p: { type: 'range', min: 0, max: 1 },
    stop: { type: 'array', max_items: STOP_SEQUENCES.max },
  };
}

/** As announced. A model that takes no requests any more has a day that is over, whatever was announced. */
function deprecationDate({ deprecated }: Listing, { deprecationDate: announced }: CatalogFacts, nowMs: number) {
  if (!deprecated) return announced;
  const yesterday = new Date(nowMs - DAY_MS).toISOString().slice(0, 10);
  return announced !== null && announced < yesterday ? announced : yesterday;
}
