/** What aggregators are told of a listing beyond what callers need: the `catalog:` block of a model. */

/** What values a parameter takes, in the words of the provider schema. */
export interface ParameterDescriptor {
  readonly type: 'range' | 'integer' | 'boolean' | 'enum' | 'array' | 'object' | 'unknown';
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly max_items?: number;
}

/** What weights can be kept in, in the words of the provider schema. */
export const quantizations = [
  'int4',
  'int8',
  'fp4',
  'mxfp4',
  'nvfp4',
  'fp6',
  'fp8',
  'mxfp8',
  'fp16',
  'bf16',
  'fp32',
] as const;

/** Facts that only the operator knows. */
export interface CatalogFacts {
  readonly huggingFaceId: string | null;
  /** What the weights are kept in, such as `fp8`; null when nothing is said. */
  readonly quantization: (typeof quantizations)[number] | null;
  /** Two capital letters, and a region where that is said. */
  readonly datacenters: readonly { readonly countryCode: string; readonly region: string | null }[];
  /** False unless the operator says otherwise. */
  readonly zdr: boolean;
  /** Null when nothing is said. */
  readonly hipaa: boolean | null;
  /** By name; null lets the gateway tell the ones that it checks itself. */
  readonly supportedParameters: Readonly<Record<string, ParameterDescriptor>> | null;
  /** `YYYY-MM-DD`; null when none is announced. */
  readonly deprecationDate: string | null;
}

/** What holds for a listing whose entry has no `catalog:` block. */
export const noFacts: CatalogFacts = {
  huggingFaceId: null,
  quantization: null,
  datacenters: [],
  zdr: false,
  hipaa: null,
  supportedParameters: null,
  deprecationDate: null,
};
