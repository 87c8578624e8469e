/** The models on sale and their prices. Spec 2.7, 4.9. */
import { Fault } from '#base/fault.ts';
import { priceToUsd } from '#base/money.ts';
import { handlersOf } from '#contract/call.ts';
import { type JsonOf, type Rendered, rendered } from '#contract/reply.ts';
import { wirePrices } from '#ledger/receipt.ts';
import { priceAtMix, REFERENCE_MIX, type Tariff } from '#ledger/tariff.ts';
import type { Listing, Listings } from '#market/listing.ts';
import { CONFIGURED_AGE_S, conditionalReply } from './conditional.ts';
import { perToken } from './partner-catalog.ts';

const REFERENCE_MIX_WIRE = {
  cached_share: REFERENCE_MIX.cachedShare,
  uncached_share: REFERENCE_MIX.uncachedShare,
  output_per_input: REFERENCE_MIX.outputPerInput,
};

/** listModels and getModel. The list omits deprecated models; getModel still describes them. */
export function modelsHandlers({ listings }: { readonly listings: Listings }) {
  let made = textsOf(listings);
  const now = () => {
    if (made.of !== listings.all) made = textsOf(listings);
    return made;
  };
  return handlersOf({
    listModels: ({ headers }) => conditionalReply(headers, { raw: now().list, maxAgeS: CONFIGURED_AGE_S }),
    getModel: ({ headers, params }) => {
      const raw = now().entries.get(params.model);
      if (!raw) throw new Fault('model_not_found', { param: 'model' });
      return conditionalReply(headers, { raw, maxAgeS: CONFIGURED_AGE_S });
    },
  });
}

/** The texts of what is on sale now. */
function textsOf(listings: Listings) {
  const entries = new Map<string, Rendered<JsonOf<'getModel'>>>();
  for (const listing of listings.all) {
    const entry = modelEntry(listing);
    entries.set(listing.id, rendered(entry));
    for (const id of listing.aliases) entries.set(id, rendered({ ...entry, id, x_alias_of: listing.id }));
  }
  const list = rendered({
    object: 'list',
    default: listings.default.id,
    reference_mix: REFERENCE_MIX_WIRE,
    data: listings.all.filter((listing) => !listing.deprecated).map(modelEntry),
  });
  return { of: listings.all, entries, list };
}

function modelEntry(listing: Listing): JsonOf<'getModel'> {
  return {
    id: listing.id,
    object: 'model',
    created: listing.createdAtS,
    owned_by: listing.ownedBy,
    display_name: listing.displayName,
    context_length: listing.contextLength,
    max_output_length: listing.outputLengthMax,
    pricing_ratio: wirePrices(listing.tariff),
    pricing: pricingOf(listing),
    reserve: listing.type === 'market' ? priceToUsd(listing.reserve) : undefined,
    preview: listing.preview,
    deprecated: listing.deprecated || undefined,
    accepts_images: listing.acceptsImages || undefined,
    x_alias_of: undefined,
    x_aliases: listing.aliases.length > 0 ? [...listing.aliases] : undefined,
  };
}

/** Only fixed prices are known in advance. */
function pricingOf({ type, tariff }: Listing): JsonOf<'getModel'>['pricing'] {
  const known = type === 'fixed' ? fixedPrices(tariff) : NO_PRICES;
  return { type, ...known };
}

const NO_PRICES = {
  usd_per_million: undefined,
  level: undefined,
  prompt: undefined,
  completion: undefined,
  input_cache_read: undefined,
};

function fixedPrices(tariff: Tariff) {
  return {
    usd_per_million: wirePrices(tariff),
    level: priceToUsd(priceAtMix(tariff)),
    prompt: perToken(tariff.uncached),
    completion: perToken(tariff.output),
    input_cache_read: perToken(tariff.cached),
  };
}
