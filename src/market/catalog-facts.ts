/** What aggregators are told of a listing beyond what callers need: the `catalog:` block of a model. */

/** What values a parameter takes, in the words of the provider schema. */
export interface ParameterDescriptor {
  readonly type: 'range' | 'integer' | 'boolean' | 'enum' | 'array' | 'object' | 'unknown';
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly max_items?: number;
}

/** Facts that only the operator knows. */
export interface CatalogFacts {
  readonly huggingFaceId: string | null;
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
  datacenters: [],
  zdr: false,
  hipaa: null,
  supportedParameters: null,
  deprecationDate: null,
};
