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
export function flatPartnerEntry(model: PartnerModel): SentJson<components['schemas']['FlatPartnerModel']> {
  const { listing, facts, prices, isReady, deprecationDate } = model;
  const { huggingFaceId, quantization } = facts;
  const parameters = Object.keys(supportedParameters(model));
  const features = Object.entries(FEATURES).filter(([, signs]) => signs.some((sign) => parameters.includes(sign)));
  return {
    id: listing.id,
    hugging_face_id: huggingFaceId ?? undefined,
    name: listing.displayName,
    created: listing.createdAtS,
    input_modalities: ['text'],
    output_modalities: ['text'],
    quantization: quantization ?? undefined,
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
    deprecation_date: deprecationDate ?? undefined,
    is_ready: isReady,
    datacenters: datacentersOf(facts),
  };
}
