/** What orders need from outside, apart from the journal: reads of the database, and pods. */

import type { NanoUsd, PriceNano } from '#base/money.ts';
import type { Reach } from '#base/reach.ts';
import type { GenerationEvent, ReportedUsage } from '#results/generation.ts';
import type { OrderRow, OrderUsage, OrderWithUsage } from './order.ts';
import type { GenerationRequest, JsonObject, RequestTrace } from './request.ts';
import type { Funds, IdempotencyRow } from './units.ts';

/** Where the order service reads balances that it does not know yet. */
export interface FundsStore {
  /** The account's money as committed; null for an unknown account. */
  funds(accountId: string): Promise<Funds | null>;
}

/** Where the order service reads which accounts may no longer trade. */
export interface StandingStore {
  /** The accounts in `accountIds` that are suspended, being deleted, or gone. */
  inactiveAmong(accountIds: readonly string[]): Promise<string[]>;
}

/** Filters of GET /v1/orders; null means "any". Bounds are inclusive, in epoch milliseconds. */
export interface OrderFilter extends Reach {
  readonly statuses: readonly string[] | null;
  readonly model: string | null;
  readonly kind: string | null;
  readonly batchId: string | 'none' | null;
  /** Lower case, whole or the first characters. */
  readonly idPrefix: string | null;
  /** Null or absent for any. */
  readonly tag?: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Aggregates over a filtered set. The two `at bid` figures cover market orders only. Spec 4.6. */
export interface OrderTotals {
  readonly orders: number;
  readonly failed: number;
  readonly marketOrders: number;
  readonly charged: NanoUsd;
  readonly atBid: NanoUsd;
  readonly saved: NanoUsd;
}

/** Reads of orders; each sees committed rows only. */
export interface OrderStore {
  /** The order with this id when it is within reach; null otherwise. */
  find(reach: Reach, id: string): Promise<OrderWithUsage | null>;
  /** Newest first, at most `limit` rows. A keyset cursor: `after` is the id of the last row of the page before. */
  list(filter: OrderFilter, page: { limit: number; after: string | null }): Promise<OrderWithUsage[]>;
  totals(filter: OrderFilter): Promise<OrderTotals>;
  /** Queued and executing counts and the oldest queued creation, without the filter's statuses. */
  counts(filter: OrderFilter): Promise<{ queued: number; executing: number; oldestQueuedAtMs: number | null }>;
  /** The kept input of an order that outlives its caller; null when none was kept. */
  body(orderId: string): Promise<JsonObject | null>;
  /** The given Idempotency-Keys that the account has used. */
  findKeys(accountId: string, endpoint: string, keys: readonly string[]): Promise<IdempotencyRow[]>;
}

/** How an order was settled. The charge is that before refunds. */
export interface OrderSettlement extends OrderUsage {
  readonly atMs: number;
  /** The price charged. */
  readonly price: PriceNano;
  readonly refunded: NanoUsd;
  readonly writtenOff: NanoUsd;
  /** What it would have cost at its bid. */
  readonly atBid: NanoUsd;
  /** When its first token came; null where none did, and in rows of older versions. */
  readonly firstOutputAtMs: number | null;
}

/** A request that an account has had logged. */
export interface LoggedRequest {
  readonly orderId: string;
  readonly accountId: string;
  readonly expiresAtMs: number;
  /** What the model was sent, without the fields that each attempt adds, plus `user` and the like, not sent to it. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** How an order ran, beside what the order says. */
export interface ReportedRun {
  readonly id: string;
  readonly keyId: string | null;
  /** As it is now. */
  readonly keyName: string | null;
  /** Null where none came, and in rows of older versions. */
  readonly firstOutputAtMs: number | null;
  /** Net of refunds; null without a charge. */
  readonly charged: NanoUsd | null;
  /** What it would have cost at its bid. */
  readonly atBid: NanoUsd | null;
}

/** What sums of orders are asked for. */
export interface SumsAsked {
  readonly filter: OrderFilter;
  /** Only orders that were charged at least so many nano-dollars; null for all. */
  readonly chargedMin: number | null;
  readonly step: 'hour' | 'day';
  readonly limit: number;
}

/** The orders of a model, key, set of tags and status that were sent in one hour or day, which is counted from the epoch. */
export interface OrderSum {
  readonly unit: number;
  readonly model: string;
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly tags: readonly string[];
  readonly status: string;
  readonly orders: number;
  readonly charged: NanoUsd;
  readonly atBid: NanoUsd;
}

/** Sums of orders, the newest first; `truncated` where older ones are left out. */
export interface OrderSums {
  readonly sums: readonly OrderSum[];
  readonly truncated: boolean;
}

/** An order, and its settlement if it has one. */
export interface FoundOrder {
  readonly order: OrderRow;
  readonly settlement: OrderSettlement | null;
}

/** Reads the order with this id, whosever it is; null for none. */
export type FindOrder = (id: string) => Promise<FoundOrder | null>;

/** A prompt, or prompt and output cap together, that exceed the context: all in tokens, as a pod or an estimate has them. */
export interface OverfullContext {
  readonly prompt: number;
  /** The output cap, where the pod named it. */
  readonly output: number | null;
  readonly limit: number;
}

/** How one attempt on a pod ended. */
export type AttemptOutcome =
  /** The model finished, or the gateway stopped it at the cap (`finish` was emitted). */
  | ({ readonly kind: 'complete' } & AttemptCounts)
  /** The model refused the request before output: backend 400, 413 or 422. `overfull`: because its context is full. */
  | { readonly kind: 'refused'; readonly message: string; readonly overfull?: Partial<OverfullContext> }
  /** The pod has no room (429, 503): nothing counts against the order. */
  | { readonly kind: 'no-slot' }
  /**
   * Every other failure; the order service knows whether there was output. `last`: the order has had all the time for a first
   * output that it may have.
   */
  | { readonly kind: 'failed'; readonly reason: string; readonly last?: true }
  /** `abort` was called. */
  | ({ readonly kind: 'aborted' } & AttemptCounts);

/** What the operator sets of a pod while the gateway runs. */
export interface PodSetting {
  /** It gets no new orders; those that run there go on. */
  readonly draining: boolean;
  /** The most attempts at once; null: as configured. */
  readonly slots: number | null;
}

/**
 * What a gateway learned about a pod from an attempt of its own, for the gateway that decides how many slots it has.
 */
export interface PodReport {
  readonly model: string;
  readonly pod: string;
  readonly order: string;
  /** served: an attempt was answered, after others that were not. */
  readonly kind: 'no-slot' | 'failed' | 'served';
}

/** How long a settled order took; orders that the gateway sent itself are not reported. */
export interface RunTimes {
  readonly model: string;
  /** From its submission to its admission; null when it had been admitted before. */
  readonly waitMs: number | null;
  /** Its bid over the level at its admission: 1 for one that bid no more; Infinity above a level of 0. */
  readonly bidOverLevel: number;
  /** From the last admission to the first output; null without output. */
  readonly firstTokenMs: number | null;
  /** After the first output; null for an answer too short to tell. */
  readonly tokensPerSecond: number | null;
}

/** What is known about the tokens of an attempt. */
export interface AttemptCounts {
  /** The last the pod had sent; null for none. */
  readonly usage: ReportedUsage | null;
  /** The chunks of output, where each holds one token; absent where chunks say nothing about tokens. */
  readonly outputChunks?: number;
}

/** Receives an attempt's output. `ended` comes once, last, and never throws: nobody would catch it. */
export interface AttemptSink {
  /** Events that arrived together, in order; never empty. What it throws fails the attempt. */
  events(batch: readonly GenerationEvent[]): void;
  ended(outcome: AttemptOutcome): void;
}

/** A running attempt. */
export interface Attempt {
  /** Stops the pod within a second; `ended` follows with `aborted` unless the attempt had ended already. */
  abort(): void;
}

/** What a pod gets for an attempt. */
export interface AttemptRequest {
  readonly orderId: string;
  readonly attempt: number;
  readonly model: string;
  readonly pod: string;
  readonly generation: GenerationRequest;
  /** The attempt ends after this many tokens. */
  readonly outputCap: number;
  /** How long earlier attempts took that failed without output, in milliseconds; absent for none. */
  readonly silentMs?: number;
  /** The pod does not get the cap, because it might not fit into the context beside the prompt. */
  readonly withoutCap?: boolean;
  /** Null for an order that no HTTP request of this process asked for. */
  readonly trace: RequestTrace | null;
}

/** The pods, as the order service sees them. */
export interface PodPort {
  /** Starts an attempt; the sink is never called before this returns. */
  execute(request: AttemptRequest, sink: AttemptSink): Attempt;
}

/** An order or a batch that cannot be taken over, and why. The others do not wait for it. */
export interface SetApart {
  /** Of the order, or of the batch. */
  readonly id: string;
  readonly error: unknown;
}
