/**
 * A model in the provider schema 2.4 of aggregators, which allows no other keys in any of its objects. Spec 2.9, 4.9.
 */
import { OUTPUT_CAP_MAX, STOP_SEQUENCES } from '#base/bounds.ts';
import type { NanoUsd } from '#base/money.ts';
import type { SentJson } from '#base/sent-json.ts';
import type { components } from '#generated/types.ts';
import type { CatalogFacts, ParameterDescriptor } from '#market/catalog-facts.ts';
import type { Listing } from '#market/listing.ts';

type Schemas = components['schemas'];

/** What a catalog says about one model, in either form. */
export interface PartnerModel {
  readonly listing: Listing;
  readonly facts: CatalogFacts;
  /** Per 1M tokens. */
  readonly prices: Readonly<Record<'cached' | 'uncached' | 'output', NanoUsd>>;
  readonly isReady: boolean;
  /** `YYYY-MM-DD`, in the past for a deprecated model; null when none is announced. */
  readonly deprecationDate: string | null;
}

/** An entry of the schema 2.4, without fields that the operator did not set. */
export function partnerEntry(model: PartnerModel): SentJson<Schemas['PartnerModel']> {
  const { listing, facts, prices, isReady, deprecationDate } = model;
  const { huggingFaceId, quantization, zdr, hipaa } = facts;
  return {
    schema_version: '2.4',
    id: listing.id,
    name: listing.displayName,
    created: listing.createdAtS,
    description: undefined,
    hugging_face_id: huggingFaceId ?? undefined,
    quantization: quantization ?? undefined,
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
    deprecation_date: deprecationDate ?? undefined,
    is_ready: isReady,
    datacenters: datacentersOf(facts),
    compliance: { zdr, hipaa: hipaa ?? undefined },
  };
}

/** The parameters that the operator names for the model; otherwise those whose bounds the gateway checks. */
export function supportedParameters({ listing, facts }: PartnerModel): Readonly<Record<string, ParameterDescriptor>> {
  return (
    facts.supportedParameters ?? {
      max_tokens: { type: 'integer', min: 1, max: Math.min(listing.outputLengthMax, OUTPUT_CAP_MAX) },
      temperature: { type: 'range', min: 0, max: 2 },
      top_p: { type: 'range', min: 0, max: 1 },
      stop: { type: 'array', max_items: STOP_SEQUENCES.max },
    }
  );
}

/** The data centers; undefined when none is known. */
export function datacentersOf({ datacenters }: CatalogFacts) {
  if (datacenters.length === 0) return undefined;
  return datacenters.map(({ countryCode, region }) => ({ country_code: countryCode, region: region ?? undefined }));
}

function costOf(type: 'prompt' | 'cached_prompt' | 'completion', price: NanoUsd) {
  return { type, unit: 'token', cost_usd: perToken(price) };
}

/** Nano-dollars per 1M tokens as USD per token: exact, never with an exponent. */
export function perToken(price: NanoUsd): string {
  const digits = price.toString().padStart(16, '0');
  return `${digits.slice(0, -15)}.${digits.slice(-15)}`.replace(/\.?0+$/, '');
}
