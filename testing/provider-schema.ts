/**
 * The provider schema 2.4 of aggregators and the flat form before it, for text models. Every object is closed, so an
 * additional key in an entry fails. Written from the published schema, independently of what writes the catalog.
 */
import assert from 'node:assert/strict';
import { Ajv } from 'ajv';
import type { components } from '#generated/types.ts';

type Schemas = components['schemas'];

const unit = { const: 'token' };
const length = closed({ value: { type: 'integer', minimum: 1 }, unit }, ['value', 'unit']);
const cost = { type: 'string', pattern: '^\\d+(\\.\\d+)?$' };
const price = (...types: string[]) =>
  closed(
    {
      type: { enum: types },
      unit,
      cost_usd: cost,
      ttl_seconds: { type: 'integer' },
      implicit: { type: 'boolean' },
      utc_start: { type: 'string', pattern: '^\\d{4}$' },
      utc_end: { type: 'string', pattern: '^\\d{4}$' },
    },
    ['type', 'unit', 'cost_usd'],
  );
const capacity = closed(
  {
    type: { enum: ['prompt', 'completion', 'request', 'concurrency'] },
    unit: { enum: ['token', 'request'] },
    per: { enum: ['minute', 'hour', 'day'] },
    value: { type: 'integer', minimum: 1 },
  },
  ['type', 'unit', 'value'],
);

const descriptor = closed(
  {
    type: { enum: ['range', 'integer', 'boolean', 'enum', 'array', 'object', 'unknown'] },
    min: { type: 'number' },
    max: { type: 'number' },
    values: { type: 'array', minItems: 1 },
    max_items: { type: 'integer', minimum: 1 },
    unit: { type: 'string' },
    default: {},
  },
  ['type'],
);

const input = closed(
  {
    type: { const: 'text' },
    supported_inputs: closed({ max_context_length: length, max_prompt_length: length }, ['max_context_length']),
    pricing: { type: 'array', uniqueItems: true, items: price('prompt', 'cached_prompt', 'cache_write') },
    capacity: { type: 'array', items: capacity },
  },
  ['type', 'supported_inputs'],
);
const output = closed(
  {
    type: { const: 'text' },
    supported_parameters: { type: 'object', additionalProperties: descriptor },
    max_length: length,
    streaming: { type: 'boolean' },
    pricing: { type: 'array', uniqueItems: true, items: price('completion', 'internal_reasoning') },
    capacity: { type: 'array', items: capacity },
  },
  ['type', 'supported_parameters'],
);

const quantization = {
  enum: ['int4', 'int8', 'fp4', 'mxfp4', 'nvfp4', 'fp6', 'fp8', 'mxfp8', 'fp16', 'bf16', 'fp32', null],
};
const deprecationDate = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:00:00Z)?$' };
const datacenters = {
  type: 'array',
  items: closed({ country_code: { type: 'string', pattern: '^[A-Z]{2}$' }, region: { type: 'string' } }, [
    'country_code',
  ]),
};

const entry = closed(
  {
    schema_version: { const: '2.4' },
    id: { type: 'string', minLength: 1 },
    name: { type: 'string', minLength: 1 },
    input_modalities: { type: 'array', minItems: 1, items: input },
    output_modalities: { type: 'array', minItems: 1, items: output },
    hugging_face_id: { type: 'string' },
    created: { type: 'integer' },
    quantization,
    tokenizer: { type: 'string' },
    description: { type: 'string' },
    passthrough_parameters: { type: 'array', items: { type: 'string' } },
    deprecation_date: deprecationDate,
    is_ready: { type: 'boolean' },
    is_free: { type: 'boolean' },
    discount_to_user: { type: 'number', exclusiveMaximum: 1 },
    datacenters,
    deployment_region: { type: 'string' },
    compliance: closed({ zdr: { type: 'boolean' }, hipaa: { type: 'boolean' } }, []),
  },
  ['schema_version', 'id', 'name', 'input_modalities', 'output_modalities'],
);

const text = { type: 'array', minItems: 1, uniqueItems: true, items: { const: 'text' } };
const SAMPLING = ['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty', 'repetition_penalty'];
const FEATURES = ['tools', 'json_mode', 'structured_outputs', 'logprobs', 'web_search', 'reasoning'];

const flatEntry = closed(
  {
    id: { type: 'string', minLength: 1 },
    hugging_face_id: { type: 'string' },
    name: { type: 'string', minLength: 1 },
    created: { type: 'integer' },
    input_modalities: text,
    output_modalities: text,
    quantization,
    context_length: { type: 'integer', minimum: 1 },
    max_output_length: { type: 'integer', minimum: 1 },
    pricing: closed({ prompt: cost, completion: cost, image: cost, request: cost, input_cache_read: cost }, [
      'prompt',
      'completion',
    ]),
    supported_sampling_parameters: { type: 'array', uniqueItems: true, items: { enum: [...SAMPLING, 'stop', 'seed'] } },
    supported_features: { type: 'array', uniqueItems: true, items: { enum: FEATURES } },
    description: { type: 'string' },
    deprecation_date: deprecationDate,
    is_ready: { type: 'boolean' },
    is_free: { type: 'boolean' },
    discount_to_user: { type: 'number', exclusiveMaximum: 1 },
    capacity_tpm: { type: 'integer', minimum: 1 },
    datacenters,
  },
  [
    'id',
    'name',
    'created',
    'input_modalities',
    'output_modalities',
    'context_length',
    'max_output_length',
    'pricing',
    'supported_sampling_parameters',
    'supported_features',
  ],
);

const ajv = new Ajv({ allErrors: true, strictTypes: false });
const listOf = (items: object) => closed({ data: { type: 'array', items } }, ['data']);
/** A catalog of entries in one of the two forms. */
interface Catalog<Entry extends 'PartnerModel' | 'FlatPartnerModel'> {
  readonly data: readonly Schemas[Entry][];
}

const validate = ajv.compile<Catalog<'PartnerModel'>>(listOf(entry));
const validateFlat = ajv.compile<Catalog<'FlatPartnerModel'>>(listOf(flatEntry));

/** Asserts that aggregators accept `catalog`; returns it. */
export function aggregatable(catalog: unknown): Catalog<'PartnerModel'> {
  assert.ok(validate(catalog), JSON.stringify(validate.errors));
  return catalog;
}

/** Asserts that readers of the flat form accept `catalog`; returns it. */
export function aggregatableFlat(catalog: unknown): Catalog<'FlatPartnerModel'> {
  assert.ok(validateFlat(catalog), JSON.stringify(validateFlat.errors));
  return catalog;
}

function closed(properties: Readonly<Record<string, object>>, required: readonly string[]) {
  return { type: 'object', additionalProperties: false, properties, required };
}
