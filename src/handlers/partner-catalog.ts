/**
 * The catalog for aggregators, in both forms of their schema. Neither allows other keys, so only headers can say how
 * long the prices hold. Reading the catalog locks no price. Spec 4.9.
 */
import { OUTPUT_CAP_MAX, STOP_SEQUENCES } from '#base/bounds.ts';
import type { Clock } from '#base/clock.ts';
import type { NanoUsd } from '#base/money.ts';
import type { SentJson } from '#base/sent-json.ts';
import { DAY_MS, iso } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import { type JsonOf, type Rendered, rendered } from '#contract/reply.ts';
import type { Catalog } from '#generated/schemas/configuration-types.ts';
import type { components } from '#generated/types.ts';
import { tokenPrices } from '#ledger/tariff.ts';
import type { Listing, Listings } from '#market/listing.ts';
import { type MarketView, standingQuote } from '#market/ports.ts';
import type { ReadyView } from '#observe/probe.ts';
import { conditionalReply } from './conditional.ts';

interface PartnerCatalogOptions {
  readonly listings: Listings;
  /** The `catalog:` blocks of the configuration by model id; a model without one may be absent. */
  readonly catalogs: ReadonlyMap<string, Catalog>;
  readonly market: Pick<MarketView, 'quote'>;
  readonly ready: Pick<ReadyView, 'ready'>;
  /** How long a quote is valid. */
  readonly quotes: { readonly intervalMs: number };
  readonly clock: Clock;
}

/** getPartnerCatalog. Omits previews, and markets whose owner has not published a quote; lists deprecated models as not ready. Refuses an unknown format. */
export function partnerCatalogHandlers(options: PartnerCatalogOptions) {
  const { listings, catalogs, market, ready, quotes, clock } = options;
  const offeredNow = () =>
    listings.all.filter(({ id, type, preview }) => !preview && (type === 'fixed' || market.quote(id) !== null));
  const quoteOf = (listing: Listing) => standingQuote(market, listing.id);
  const pricesOf = (listing: Listing) =>
    tokenPrices(listing.tariff, listing.type === 'market' ? quoteOf(listing).price : 0);
  /** The first end of a quote; without markets, the end of the window that a quote would have. */
  const validUntilMs = (offered: readonly Listing[], nowMs: number) => {
    const ends = offered.filter(({ type }) => type === 'market').map((listing) => quoteOf(listing).validUntilMs);
    return ends.length > 0 ? Math.min(...ends) : nowMs - (nowMs % quotes.intervalMs) + quotes.intervalMs;
  };
  return handlersOf({
    getPartnerCatalog({ headers: asked, query }) {
      const nowMs = clock.nowMs();
      const readyIds = new Set(ready.ready().map(({ id }) => id));
      const offered = offeredNow();
      const models = offered.map((listing) => {
        const facts = catalogs.get(listing.id) ?? null;
        const deprecationDate = deprecationDateOf(listing, facts, nowMs);
        return { listing, facts, prices: pricesOf(listing), isReady: readyIds.has(listing.id), deprecationDate };
      });
      const raw: Rendered<JsonOf<'getPartnerCatalog'>> =
        query.format === null
          ? rendered({ data: models.map(partnerEntry) })
          : rendered({ data: models.map(flatPartnerEntry) });
      const untilMs = validUntilMs(offered, nowMs);
      const maxAgeS = Math.max(0, Math.floor((untilMs - nowMs) / 1000));
      const headers = {
        'x-price-valid-until': iso(untilMs),
        'x-price-window-seconds': String(quotes.intervalMs / 1000),
      };
      return conditionalReply(asked, { raw, maxAgeS, headers });
    },
  });
}

/** As announced; but a deprecated model takes no requests any more, so its date is always in the past. */
function deprecationDateOf({ deprecated }: Listing, facts: Catalog | null, nowMs: number) {
  const announced = facts?.deprecation_date;
  if (!deprecated) return announced;
  const yesterday = iso(nowMs - DAY_MS).slice(0, 10);
  return announced !== undefined && announced < yesterday ? announced : yesterday;
}

type Schemas = components['schemas'];

/** What a catalog says about one model, in either form. */
interface PartnerModel {
  readonly listing: Listing;
  /** What the operator says of it; null for nothing. */
  readonly facts: Catalog | null;
  /** Per 1M tokens. */
  readonly prices: Readonly<Record<'cached' | 'uncached' | 'output', NanoUsd>>;
  readonly isReady: boolean;
  /** `YYYY-MM-DD`, in the past for a deprecated model; undefined when none is announced. */
  readonly deprecationDate: string | undefined;
}

/** An entry of the schema 2.4, without fields that the operator did not set. */
function partnerEntry(model: PartnerModel): SentJson<Schemas['PartnerModel']> {
  const { listing, facts, prices, isReady, deprecationDate } = model;
  const { zdr = false, hipaa } = facts?.compliance ?? {};
  return {
    schema_version: '2.4',
    id: listing.id,
    name: listing.displayName,
    created: listing.createdAtS,
    description: undefined,
    hugging_face_id: facts?.hugging_face_id,
    quantization: facts?.quantization,
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
        supported_parameters: supportedParameters(model),
        max_length: { value: listing.outputLengthMax, unit: 'token' },
        streaming: true,
        pricing: [costOf('completion', prices.output)],
      },
    ],
    deprecation_date: deprecationDate,
    is_ready: isReady,
    datacenters: datacentersOf(facts),
    compliance: { zdr, hipaa },
  };
}

/** The parameters that the operator names for the model; otherwise those whose bounds the gateway checks. */
function supportedParameters({ listing, facts }: PartnerModel): Readonly<Record<string, unknown>> {
  return (
    facts?.supported_parameters ?? {
      max_tokens: { type: 'integer', min: 1, max: Math.min(listing.outputLengthMax, OUTPUT_CAP_MAX) },
      temperature: { type: 'range', min: 0, max: 2 },
      top_p: { type: 'range', min: 0, max: 1 },
      stop: { type: 'array', max_items: STOP_SEQUENCES.max },
    }
  );
}

/** The data centers; undefined when none is known. */
function datacentersOf(facts: Catalog | null) {
  return facts?.datacenters.length ? facts.datacenters : undefined;
}

function costOf(type: 'prompt' | 'cached_prompt' | 'completion', price: NanoUsd) {
  return { type, unit: 'token', cost_usd: perToken(price) };
}

/** Nano-dollars per 1M tokens as USD per token: exact, never with an exponent. */
export function perToken(price: NanoUsd): string {
  const digits = price.toString().padStart(16, '0');
  return `${digits.slice(0, -15)}.${digits.slice(-15)}`.replace(/\.?0+$/, '');
}

/** The sampling parameters that the form knows. */
const SAMPLING_PARAMETERS = [
  'temperature',
  'top_p',
  'top_k',
  'repetition_penalty',
  'frequency_penalty',
  'presence_penalty',
  'stop',
  'seed',
];

/** The features of the form. A model has a feature when it takes any of these parameters. */
const FEATURES = {
  tools: ['tools'],
  json_mode: ['response_format'],
  structured_outputs: ['structured_outputs'],
  logprobs: ['logprobs'],
  reasoning: ['reasoning', 'reasoning_effort'],
};

/**
 * An entry of the flat form, which aggregators read before 2.4, without fields that the operator did not set. It says
 * less: no compliance, and of the parameters only the names that it knows, some of them as features.
 */
function flatPartnerEntry(model: PartnerModel): SentJson<components['schemas']['FlatPartnerModel']> {
  const { listing, facts, prices, isReady, deprecationDate } = model;
  const parameters = Object.keys(supportedParameters(model));
  const features = Object.entries(FEATURES).filter(([, signs]) => signs.some((sign) => parameters.includes(sign)));
  return {
    id: listing.id,
    hugging_face_id: facts?.hugging_face_id,
    name: listing.displayName,
    created: listing.createdAtS,
    input_modalities: ['text'],
    output_modalities: ['text'],
    quantization: facts?.quantization,
    context_length: listing.contextLength,
    max_output_length: listing.outputLengthMax,
    pricing: {
      prompt: perToken(prices.uncached),
      completion: perToken(prices.output),
      // Only tokens are charged; the form states that with zeros.
      image: '0',
      request: '0',
      input_cache_read: perToken(prices.cached),
    },
    supported_sampling_parameters: SAMPLING_PARAMETERS.filter((name) => parameters.includes(name)),
    supported_features: features.map(([feature]) => feature),
    deprecation_date: deprecationDate,
    is_ready: isReady,
    datacenters: datacentersOf(facts),
  };
}
