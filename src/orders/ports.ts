/**
 * What orders need of the outside beside the journal: reads, pods, and a place for results.
 */
import type { NanoUsd } from '#base/money.ts';
import type { GenerationEvent, ReportedUsage } from './generation.ts';
import type { Funds, IdempotencyRow } from './journal-port.ts';
import type { OrderRow, OrderWithUsage } from './order.ts';
import type { GenerationRequest, JsonObject } from './request.ts';

/** Where the desk looks up money that it has not heard of yet. */
export interface FundsStore {
  /** The account's money as committed; null for an unknown account. */
  funds(accountId: string): Promise<Funds | null>;
}

/** Where the desk looks up who may not trade any more. */
export interface StandingStore {
  /** Those of `accountIds` that are suspended, being deleted, or gone. */
  inactiveAmong(accountIds: readonly string[]): Promise<string[]>;
}

/** Filters of GET /v1/orders; null means "any". Bounds are inclusive, in epoch milliseconds. */
export interface OrderFilter {
  readonly accountId: string;
  readonly statuses: readonly string[] | null;
  readonly model: string | null;
  readonly kind: string | null;
  readonly batchId: string | 'none' | null;
  /** Lower case, whole or the first characters. */
  readonly idPrefix: string | null;
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
  /** The order with this id when it belongs to the account; null otherwise. */
  find(accountId: string, id: string): Promise<OrderWithUsage | null>;
  /** Newest first; `after` is the id of the last row of the page before. At most `limit` rows. */
  list(filter: OrderFilter, page: { limit: number; after: string | null }): Promise<OrderWithUsage[]>;
  totals(filter: OrderFilter): Promise<OrderTotals>;
  /** Queued and executing counts and the oldest queued creation, without the filter's statuses. */
  counts(filter: OrderFilter): Promise<{ queued: number; executing: number; oldestQueuedAtMs: number | null }>;
  /** Every order that is queued or executing, oldest first, without custom ids: for recovery. */
  live(): Promise<OrderRow[]>;
  /** The kept input of an order that outlives its caller; null when none was kept. */
  body(orderId: string): Promise<JsonObject | null>;
  findKey(accountId: string, endpoint: string, key: string): Promise<IdempotencyRow | null>;
}

/** A stored body, as it is counted: a result or a file. */
export interface KeptBody {
  /** Of the order, or of the file. */
  readonly id: string;
  readonly accountId: string;
  readonly bytes: number;
  /** Since when it is kept: the oldest goes first. */
  readonly sinceMs: number;
}

/** Bodies of one kind, and how one is let go. Each answer is bounded by `limit` and leaves out what may not go. */
export interface Shelf {
  /** Bodies whose time has come, earliest first. */
  expired(nowMs: number, limit: number): Promise<KeptBody[]>;
  /** An account's bodies, the longest kept first. */
  oldest(accountId: string, limit: number): Promise<KeptBody[]>;
  /** Commits that the body is gone, and counts no more; then deletes it. Harmless when it is gone already. */
  remove(body: KeptBody): Promise<void>;
}

/** What the sweep asks of results. */
export type ResultIndex = Omit<Shelf, 'remove'>;

/** Who keeps how much. */
export interface StorageIndex {
  /** Accounts that keep more than `bytesMax`, with what they keep; at most `limit`. */
  overfull(bytesMax: number, limit: number): Promise<{ accountId: string; bytes: number }[]>;
}

/**
 * The bodies of results, by order id: those that were put here, and those that a settlement kept (`resultBody`). Which
 * of the two a body is, its readers need not know.
 */
export interface ResultStore {
  /** Resolves when the body survives a power cut. One that was put before is replaced. */
  put(orderId: string, body: string): Promise<void>;
  /** The same for a body that nobody was promised: it survives the end of the process, at a fraction of the cost. */
  putLightly(orderId: string, body: string): Promise<void>;
  /** The body; null when none is kept. */
  get(orderId: string): Promise<string | null>;
  /** Those bodies of several orders that cost no more than one does; ask for each of the others. */
  getCheap(orderIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Removes what is left of a body after its `result-removed` has committed; harmless when there is nothing. */
  delete(orderId: string): Promise<void>;
}

/** How one attempt on a pod ended. */
export type AttemptOutcome =
  /** The model finished, or the gateway stopped it at the cap (`finish` was emitted). Usage null: the pod sent none. */
  | { readonly kind: 'complete'; readonly usage: ReportedUsage | null }
  /** The model refused the request before output: backend 400, 413 or 422. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The pod has no room (429, 503): nothing counts against the order. */
  | { readonly kind: 'no-slot' }
  /** Every other failure; the desk knows whether output had come. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** `abort` was called. Usage is the last the pod had sent, null for none. */
  | { readonly kind: 'aborted'; readonly usage: ReportedUsage | null };

/** Where an attempt's output goes. `ended` comes once, last. */
export interface AttemptSink {
  /** The events of one arrival, in order; never empty. */
  events(batch: readonly GenerationEvent[]): void;
  ended(outcome: AttemptOutcome): void;
}

/** A running attempt. */
export interface Attempt {
  /** Stops the pod within a second; `ended` follows with `aborted` unless it had ended. */
  abort(): void;
}

/** What an attempt is sent. */
export interface AttemptRequest {
  readonly orderId: string;
  readonly attempt: number;
  readonly model: string;
  readonly pod: string;
  readonly generation: GenerationRequest;
  readonly outputCap: number;
}

/** The pods, as the desk sees them. */
export interface PodPort {
  /** Starts an attempt; the sink is never called from inside this call. */
  execute(request: AttemptRequest, sink: AttemptSink): Attempt;
}
