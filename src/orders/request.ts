/**
 * What an adapter hands to the order service: an inference request in words that belong to no wire shape. Types and
 * bounds have been checked; what depends on the listing, the account and the market is resolved by the order service.
 */
import type { KeyBudget } from '#base/key-budget.ts';
import type { PriceNano } from '#base/money.ts';
import type { MediaKind } from '#market/listing.ts';
import type { OrderKind } from './order.ts';
import type { OrderFollower, TraceHeaders } from './order-facts.ts';

/** A JSON object whose keys the gateway does not interpret. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The key under which a body lists the functions that stand for custom tools, by name. It is not sent to a pod, whose calls
 * of them are marked.
 */
export const CUSTOM_TOOLS = 'x_custom_tools';

/** What is measured of a model's input. */
export interface MeasuredInput {
  /** The prompt bound and the prompt estimate, with the default figures for media: `promptBoundFor` has a listing's. */
  readonly promptBound: number;
  readonly promptEstimate: number;
  /** How many parts of each kind the prompt has; absent for text alone. */
  readonly media?: Readonly<Partial<Record<MediaKind, number>>>;
  /** A `reasoning_effort` that only some models know: it is sent to a listing that names it, and dropped on others. */
  readonly reasoningEffort?: string;
}

/**
 * The model's input as an OpenAI chat body without the gateway's own keys, model and stream. `max_tokens` is in it only
 * if the caller sent a cap; the pod gets the cap of its attempt instead.
 */
export interface GenerationRequest extends MeasuredInput {
  readonly body: JsonObject;
}

/** The same as JSON, of a request so large that it becomes a tree only when its order runs. */
export interface PackedInput extends MeasuredInput {
  readonly json: Buffer;
}

/** The time by which an order must start: this many seconds from now, 1 to 2592000, or at this time. */
export type WishedDeadline = { readonly inS: number } | { readonly atMs: number };

/** Names in a request that look like misspelt fields or headers of the gateway: the first, and the sentence for the caller. */
export interface Misspelt {
  /** Printable ASCII, as are the sentences. */
  readonly param: string;
  /** A sentence for each, at most five. */
  readonly warning: string;
}

/** The caller's wishes about price, time and retention; null means "not given". Spec 4.2. */
export interface Extensions {
  /** The price limit from the body or the header, already quantised. */
  readonly limit: PriceNano | null;
  /** The most that the order may be charged: whole nano-dollars, at most 10^15; a number, as requests cross threads as JSON. */
  readonly maxChargeNano: number | null;
  readonly priceLock: boolean | null;
  /** Seconds, 1 to 2592000. */
  readonly maxWaitS: number | null;
  /** Never with a lock or a wait. */
  readonly deadline?: WishedDeadline | null;
  readonly detached: boolean;
  readonly store: boolean | null;
  readonly retentionDays: number | null;
  /** 1 to 5, each once; absent for none. */
  readonly tags?: readonly string[];
  /** Absent where nothing was misspelt. */
  readonly misspelt?: Misspelt;
}

/** What the caller's systems call the HTTP request: sent along with each attempt, never interpreted. */
export interface RequestTrace {
  /** Null where no HTTP request asks for the order. */
  readonly requestId: string | null;
  /** The trace of the W3C that it belongs to; null for none. */
  readonly context: TraceHeaders | null;
  /** Observes the order that the request becomes; null or absent if nothing does. */
  readonly follower?: OrderFollower | null;
}

/** Idempotency-Key and the fingerprint of the request. */
interface IdempotencyWish {
  readonly key: string;
  readonly fingerprint: string;
  /** As the first release counted numbers that a double cannot keep; absent where there are none. */
  readonly firstFingerprint?: string;
}

/** A parsed inference request. */
export interface InferenceRequest<Input extends MeasuredInput = GenerationRequest | PackedInput> {
  readonly kind: OrderKind;
  /** Id or alias; null for the default model. */
  readonly model: string | null;
  readonly stream: boolean;
  /** The caller's output cap; null when none was sent. */
  readonly outputCap: number | null;
  readonly generation: Input;
  /** The place of an image that only listings with `acceptsImages` take; null or absent for none. */
  readonly imageAt?: string | null;
  readonly extensions: Extensions;
  /** `user` and other names of the end user, by chat's keys: for the request log, never for a pod. Null for none. */
  readonly askedBy: JsonObject | null;
  /** The parts that an answer repeats, which stay in memory as they are, a tree or JSON; absent where it repeats none. */
  readonly repeated?: JsonObject | Uint8Array;
  /** Null when none was sent. */
  readonly idempotency: IdempotencyWish | null;
  /** What a stream of the order repeats, as its shape knows it; absent for lines of batches, and probes. */
  readonly rendering?: () => unknown;
  /** Absent where no HTTP request asks for this one order: lines of batches, and probes. */
  readonly trace?: RequestTrace;
}

/** The caller, with the defaults that apply; from the access check. */
export interface Customer {
  readonly accountId: string;
  readonly keyId: string | null;
  /** Whether the key reads only what it made itself: then it repeats its own requests only. */
  readonly readsOwn: boolean;
  /** Whether its key may delete only what it made, so that what it stores pushes out nothing else. Absent: no. */
  readonly evictsOwn?: boolean;
  /** Default price limits by model id, the key's before the account's; null for none. */
  limitFor(model: string): PriceNano | null;
  readonly priceLock: boolean;
  readonly orderTimeoutS: number;
  readonly retentionDays: number;
  /** The ids of the models that its key may use; null or absent for all. */
  readonly models?: readonly string[] | null;
  /**
   * The budget of its key as it was when it was looked up; `counted` where only the database knows it. Null or absent
   * for none: then its orders count in no budget, also in one that is set while they wait.
   */
  readonly budget?: KeyBudget | 'counted' | null;
  /** Whether translated requests are kept for as long as results would be. */
  readonly logPayloads: boolean;
  readonly house: boolean;
}
