/**
 * A model in the flat form of the provider schema, which aggregators read before 2.4. It says less: no compliance, and
 * of the parameters only the names that it knows, some of them as features.
 */
import type { SentJson } from '#base/sent-json.ts';
import type { components } from '#generated/types.ts';
import { datacentersOf, type PartnerModel, perToken, supportedParameters } from './partner-entry.ts';

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

/** An entry of the flat form, without fields that the operator did not set. */
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
