/**
 * The front of the desk: the one way in for every shape, for batches and for probes. Nothing here knows HTTP.
 */
import type { Fault } from '#base/fault.ts';
import type { PriceNano } from '#base/money.ts';
import type { Receipt } from '#ledger/receipt.ts';
import type { Listing } from '#market/listing.ts';
import type { Generation, GenerationEvent } from './generation.ts';
import type { OrderKind } from './order.ts';
import type { Customer, InferenceRequest } from './request.ts';

/** Takes orders and looks after them until they end. */
export interface OrderPort {
  /**
   * Checks a request in the fixed order of docs/errors.md (model, deprecated, preview, price, idempotency, queue
   * limit, balance) and takes it. Resolves when the order's row has committed. Throws a Fault when no order was made,
   * or, naming the order, when it ended at once for want of money.
   */
  submit(customer: Customer, request: InferenceRequest): Promise<Submission>;
  /** Cancels a queued order. Throws not_found or order_not_cancelable. Resolves when that has committed. */
  cancel(accountId: string, orderId: string): Promise<void>;
  /**
   * Gives queued orders another price limit, each id once; they rest behind those already at it, and expire as before.
   * Resolves, in the order of the ids, when that has committed. Throws unavailable when the market does not confirm in
   * time: the change is then applied later.
   */
  reprice(accountId: string, orderIds: readonly string[], limit: PriceNano): Promise<RepricedOrder[]>;
}

/**
 * Why an order was not repriced. An id that is unknown or another account's is not_queued. too_large: the balance does
 * not cover its worst case at the new price. unavailable: it is queued and the market could not move it now. Spec 4.6.
 */
export type RepriceCode = 'not_queued' | 'price_locked' | 'too_large' | 'fixed_price_model' | 'unavailable';

/** What happened to one order; `refusal` null when it was repriced. */
export interface RepricedOrder {
  readonly orderId: string;
  readonly refusal: RepriceCode | null;
}

/**
 * A new order; the answer that an earlier request with the same Idempotency-Key got; or the detached order that it made,
 * to be acknowledged again.
 */
export type Submission =
  | { readonly type: 'order'; readonly ticket: Ticket }
  | { readonly type: 'replay'; readonly result: StoredResult }
  | { readonly type: 'accepted-before'; readonly order: AcceptedOrder };

/** What the acknowledgement of a detached order says. */
export interface AcceptedOrder {
  readonly orderId: string;
  readonly kind: OrderKind;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Whether a result will be stored, and for how many days. */
  readonly resultStored: boolean;
  readonly retentionDays: number;
}

/** An order that was taken. */
export interface Ticket extends AcceptedOrder {
  readonly listing: Listing;
  readonly detached: boolean;
  readonly bid: PriceNano;
  readonly promptEstimate: number;
  /** When it last began to run; 0 while it never has. */
  readonly admittedAtMs: number;
  /** Attaches the one watcher. What had happened before is told first, from inside this call. */
  watch(watcher: Watcher): void;
  /** The caller's connection closed. Cancels, or aborts and settles what was generated, unless the order outlives it. */
  leave(): void;
}

/** Follows an order. After `ended` nothing more comes. */
export interface Watcher {
  /** Output of one arrival, in order; never empty. An order whose output was seen is never requeued. */
  events(batch: readonly GenerationEvent[]): void;
  /** It ended: settled with its receipt (committed), or with the fault that the caller is to be told. */
  ended(end: OrderEnd): void;
}

/** A settled answer. */
export interface Answer {
  readonly generation: Generation;
  readonly receipt: Receipt;
  /** Part of the output tokens; null when the pod did not say. */
  readonly reasoningTokens: number | null;
  readonly finishedAtMs: number;
}

export type OrderEnd =
  | { readonly status: 'done'; readonly answer: Answer }
  | { readonly status: 'error' | 'canceled' | 'expired'; readonly fault: Fault };

/** A finished order as it is kept: enough to render its answer in its shape again. */
export interface StoredResult {
  readonly orderId: string;
  readonly kind: OrderKind;
  readonly model: string;
  readonly createdAtMs: number;
  readonly answer: Answer;
}
