/** The interface of the order service, used by every wire shape, by batches and by probes. Nothing here knows HTTP. */

import type { Fault } from '#base/fault.ts';
import type { PriceNano } from '#base/money.ts';
import type { Reach } from '#base/reach.ts';
import type { Listing } from '#market/listing.ts';
import type { GenerationEvent } from '#results/generation.ts';
import type { Answer, Result } from '#results/result.ts';
import type { OrderKind } from './order.ts';
import type { Customer, InferenceRequest } from './request.ts';

/** Takes orders and manages them until they end. */
export interface OrderPort {
  /**
   * Checks a request in the fixed order of docs/buy/errors.md (model, deprecated, preview, price, idempotency, queue limit,
   * balance) and takes it. Resolves when the order's row has committed. Throws a Fault when no order was created, or,
   * with the order's id, when it ended at once for lack of money.
   */
  submit(customer: Customer, request: InferenceRequest): Promise<Submission>;
  /** Cancels a queued order. Throws not_found or order_not_cancelable. Resolves when the end has committed. */
  cancel(reach: Reach, orderId: string): Promise<void>;
  /**
   * Gives queued orders another price limit, each id once. They rest behind the orders already at that price, and
   * expire as before. Resolves, in the order of the ids, once committed. Throws unavailable when the market does not
   * confirm in time: the change is then applied later.
   */
  reprice(reach: Reach, orderIds: readonly string[], limit: PriceNano): Promise<RepricedOrder[]>;
}

/**
 * Why an order was not repriced. not_queued: also an unknown id or one that is out of reach. too_large: the balance does not
 * cover its worst case at the new price. max_charge_too_low: nor does its bound of the charge cover its input and one
 * output token. unavailable: it is queued, but the market could not move it now. Spec 4.6.
 */
export type RepriceCode =
  | 'not_queued'
  | 'price_locked'
  | 'too_large'
  | 'max_charge_too_low'
  | 'fixed_price_model'
  | 'unavailable';

/** The outcome for one order; `refusal` is null when it was repriced. */
export interface RepricedOrder {
  readonly orderId: string;
  readonly refusal: RepriceCode | null;
}

/**
 * A new order; the replayed answer of an earlier request with the same Idempotency-Key; or the detached order that it
 * created, acknowledged again.
 */
export type Submission =
  | { readonly type: 'order'; readonly ticket: Ticket }
  | { readonly type: 'replay'; readonly result: Result }
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

/** An order that was taken, and the caller's handle on it. */
export interface Ticket extends AcceptedOrder {
  readonly listing: Listing;
  readonly detached: boolean;
  /** Whether its stream can be followed, so that its events and keepalives have numbers. */
  readonly followable: boolean;
  readonly bid: PriceNano;
  readonly promptEstimate: number;
  /** When it last began to run; 0 if it never has. */
  readonly admittedAtMs: number;
  /** Resolves when its input has left the memory, or stays there because the disk failed; null when it is not written. */
  readonly inputWritten: Promise<void> | null;
  /** Attaches a watcher. What has already happened is replayed to it first, from inside this call. */
  watch(watcher: Watcher): void;
  /**
   * Adds another caller who waits for it, and who may leave. False when it has ended, or ends because its callers left.
   */
  join(): boolean;
  /** Its watcher's stream had a keepalive with a number, which followers of the order must get too. */
  progressed(): void;
  /**
   * The connection of a caller closed. When it was the last one: cancels, or aborts and settles what was generated, unless
   * the order outlives it.
   */
  leave(): void;
}

/** Observes an order. After `ended` nothing more comes. */
export interface Watcher {
  /** Output that arrived together, in order; never empty. An order whose output was seen is never requeued. */
  events(batch: readonly GenerationEvent[]): void;
  /** An attempt failed before any output, and the order waits again. */
  retried?(): void;
  /** The order ended: settled and committed, with its receipt, or with the fault that the caller gets. */
  ended(end: OrderEnd): void;
}

export type OrderEnd =
  | { readonly status: 'done'; readonly answer: Answer }
  | { readonly status: 'error' | 'canceled' | 'expired'; readonly fault: Fault };

/** The line and the batch that an order is for. */
export interface BatchLine {
  readonly batchId: string;
  /** The line's number in the input file, from 1. */
  readonly line: number;
  readonly customId: string;
  /** When the batch expires: its lines wait until then, however often they are requeued. */
  readonly expiresAtMs: number;
  /** The time by which the line must start, with a bid that the market chooses; null or absent if it bids its limit. */
  readonly deadlineMs?: number | null;
  /** The tariff of each model when the batch was created, by model id. */
  readonly tariffIds: Readonly<Record<string, string>>;
}

/** Why a batch's lines are canceled, as stored in the rows of their orders. */
export type LineCancelReason = 'order_canceled' | 'account_suspended';

/** The message of a line that was canceled before it ran, whether it was an order or not. */
export const LINE_CANCELED: Readonly<Record<LineCancelReason, string>> = {
  order_canceled: 'The batch was canceled before this line ran.',
  account_suspended: 'The batch was canceled before this line ran, because its account was suspended.',
};

/**
 * Takes batch lines, and manages them until they end. A line is an ordinary order with four differences: while queued it
 * counts against a limit of its own, it ends with its batch, it runs only at the prices that the batch recorded, and its
 * row commits together with the line's, so that no crash loses or doubles a line. Spec 3, 4.8.
 */
export interface LinePort {
  /**
   * The same as `OrderPort.submit`, for a line. Also throws prices_changed; queue_full when the account has as many
   * queued lines as it may; and order_canceled, with nothing written, when the batch takes no more lines or already has
   * an order for this line.
   */
  submit(customer: Customer, request: InferenceRequest, line: BatchLine): Promise<Submission>;
  /** The ticket of a live order, to watch it; null when the order has ended. */
  ticket(orderId: string): Ticket | null;
  /** Cancels the batch's queued lines, and those requeued later. Running lines finish. */
  cancelLines(batchId: string, reason: LineCancelReason): void;
  /** How many more lines the account may queue now. */
  roomForLines(accountId: string): number;
}
