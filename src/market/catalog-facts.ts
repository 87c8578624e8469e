/** Facts about a listing that aggregators ask for and callers do not need: the `catalog:` block of a model. */

/** The values a parameter accepts, in the terms of the provider schema. */
export interface ParameterDescriptor {
  readonly type: 'range' | 'integer' | 'boolean' | 'enum' | 'array' | 'object' | 'unknown';
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly max_items?: number;
}

/** The number formats of weights, in the terms of the provider schema. */
type Quantization = 'int4' | 'int8' | 'fp4' | 'mxfp4' | 'nvfp4' | 'fp6' | 'fp8' | 'mxfp8' | 'fp16' | 'bf16' | 'fp32';

/** Facts that only the operator knows. */
export interface CatalogFacts {
  readonly huggingFaceId: string | null;
  /** The number format of the weights, such as `fp8`; null when not stated. */
  readonly quantization: Quantization | null;
  /** A two-letter country code in capitals, and a region if stated. */
  readonly datacenters: readonly { readonly countryCode: string; readonly region: string | null }[];
  /** False unless the operator says otherwise. */
  readonly zdr: boolean;
  /** Null when not stated. */
  readonly hipaa: boolean | null;
  /** By name; null lists the parameters that the gateway itself checks. */
  readonly supportedParameters: Readonly<Record<string, ParameterDescriptor>> | null;
  /** `YYYY-MM-DD`; null when no date is announced. */
  readonly deprecationDate: string | null;
}

/** The facts of a listing without a `catalog:` block. */
export const noFacts: CatalogFacts = {
  huggingFaceId: null,
  quantization: null,
  datacenters: [],
  zdr: false,
  hipaa: null,
  supportedParameters: null,
  deprecationDate: null,
};
