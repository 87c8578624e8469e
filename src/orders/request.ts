/**
 * What an adapter hands to the desk: a caller's wishes in words that no wire shape owns. Everything has been checked
 * for type and bounds; what depends on the listing, the account and the market is resolved by the desk.
 */
import type { PriceNano } from '#base/money.ts';
import type { OrderKind } from './order.ts';

/** A JSON object whose keys the gateway does not interpret. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The model's input as an OpenAI chat body without the gateway's own keys, model, stream and output cap. */
export interface GenerationRequest {
  readonly body: JsonObject;
  /** Tokens the prompt cannot exceed, each image counted as `IMAGE_TOKENS`; and the published middle estimate. */
  readonly promptBound: number;
  readonly promptEstimate: number;
  /** Images in the prompt: a listing that says otherwise than `IMAGE_TOKENS` corrects the bound by them. */
  readonly images: number;
  /** A `reasoning_effort` that only some models know: it joins the body on a listing that names it, and is lost elsewhere. */
  readonly reasoningEffort?: string;
}

/** Wishes of the caller about price, time and keeping; null means "not said". Spec 4.2. */
export interface Extensions {
  /** From the body or the header, already quantised. */
  readonly priceLimit: PriceNano | null;
  readonly priceLock: boolean | null;
  /** Seconds, 1 to 2592000. */
  readonly maxWaitS: number | null;
  readonly detached: boolean;
  readonly store: boolean | null;
  readonly retentionDays: number | null;
}

/** A parsed inference request. */
export interface InferenceRequest {
  readonly kind: OrderKind;
  /** Id or alias; null for the default model. */
  readonly model: string | null;
  readonly stream: boolean;
  /** The caller's output cap; null when none was sent. */
  readonly outputCap: number | null;
  readonly generation: GenerationRequest;
  readonly extensions: Extensions;
  /** `user` and whatever else says who asks, by chat's names: for the request log, never for a pod. Null for nothing. */
  readonly askedBy: JsonObject | null;
  /** Idempotency-Key and the fingerprint of the request; null when none was sent. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
}

/** Who asks, with the defaults that apply; taken from the access check. */
export interface Customer {
  readonly accountId: string;
  readonly keyId: string | null;
  /** Default price limits by model id, the key's before the account's; null for none. */
  priceLimitFor(model: string): PriceNano | null;
  readonly priceLock: boolean;
  readonly orderTimeoutS: number;
  readonly retentionDays: number;
  /** Whether translated requests are kept for as long as results would be. */
  readonly logPayloads: boolean;
  readonly house: boolean;
}
