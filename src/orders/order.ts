/**
 * The order and its status transitions. This table of transitions is the only one; the journal of tests asserts it
 * for every write. Spec 2.1, 3.
 */
import type { NanoUsd, PriceNano } from '#base/money.ts';

export const orderStatuses = ['queued', 'executing', 'done', 'error', 'canceled', 'expired'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** The endpoint to which an order was sent. */
export const orderKinds = ['chat', 'completion', 'responses', 'messages'] as const;
export type OrderKind = (typeof orderKinds)[number];

/** The statuses that may follow each status. */
export const transitions: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  queued: ['executing', 'canceled', 'expired', 'error'],
  executing: ['done', 'error', 'queued'],
  done: [],
  error: [],
  canceled: [],
  expired: [],
};

/** Whether no other status may follow. */
export function isTerminal(status: OrderStatus): boolean {
  return transitions[status].length === 0;
}

/** An order as it is stored. Times are epoch milliseconds. */
export interface OrderRow {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly kind: OrderKind;
  readonly model: string;
  readonly status: OrderStatus;
  /** The price at which it rests. */
  readonly bid: PriceNano;
  /** The caller's own price limit; equals `bid` unless locked or with a deadline; null on a fixed-price listing. */
  readonly limit: PriceNano | null;
  readonly priceLock: boolean;
  /** The quote in force when a lock was submitted; null otherwise. A lock's bid never exceeds it. */
  readonly quoteAtSubmission: PriceNano | null;
  /** The number of that quote; null or absent for any other order, and for locks from before it was stored. */
  readonly quoteSeq?: number | null;
  /** The most that it may be charged; null or absent for no bound. It also bounds each attempt's hold and output. */
  readonly maxCharge?: NanoUsd | null;
  /** Id of the tariff as submitted; `tariffFromId` reads it. */
  readonly tariffId: string;
  readonly createdAtMs: number;
  readonly admittedAtMs: number | null;
  readonly finishedAtMs: number | null;
  readonly expiresAtMs: number;
  /**
   * The time by which it must start: until then the market chooses its bid, up to its limit. Null or absent for any
   * other.
   */
  readonly deadlineMs?: number | null;
  /** min(level row in force, bid, first admission's price); null before admission and again after a requeue. */
  readonly price: PriceNano | null;
  /** The level row in force at the admission; 0 on a fixed-price listing, null before it. */
  readonly levelSeq: number | null;
  /** The price of the first admission, which later attempts never exceed; null before it. */
  readonly firstPrice: PriceNano | null;
  /** Admissions so far. Every write of an executing order names the attempt it belongs to. */
  readonly attempt: number;
  /** Pod failures so far that count against the order. */
  readonly failures: number;
  /** Money set aside while executing; 0 otherwise. */
  readonly hold: NanoUsd;
  /** Its place among orders at one price, by time; null until it has rested. */
  readonly restedSeq: number | null;
  /**
   * The period of its key's budget in which it was admitted last, by its start; 0 before that. Null or absent when its
   * key had no budget when it was submitted: then it never counts in one.
   */
  readonly budgetFromMs?: number | null;
  readonly pod: string | null;
  /** Terminal reason: a fault code such as order_expired; null on done and before the end. */
  readonly error: string | null;
  readonly errorMessage: string | null;
  readonly detached: boolean;
  /** Whether it goes on without its caller: detached, keyed with a stored result, or a batch line. */
  readonly outlives: boolean;
  readonly house: boolean;
  readonly batchId: string | null;
  readonly customId: string | null;
  /** Worst-case prompt tokens, published prompt estimate, and the output cap, which `maxCharge` may lower for an attempt. */
  readonly promptBound: number;
  readonly promptEstimate: number;
  readonly outputCap: number;
  /** none: nothing will be kept. promised: a result must exist before done. stored, deleted: the result is, or was. */
  readonly resultState: 'none' | 'promised' | 'stored' | 'deleted';
  readonly resultExpiresAtMs: number | null;
  /** Retention: days for which the result is kept; 0 keeps nothing. */
  readonly retentionDays: number;
  /** Boot epoch of the process that took it; recovery touches only rows of earlier ones. */
  readonly bootEpoch: number;
  /** The HTTP request that it was; null or absent for a line, a probe, and orders of versions that stored none. */
  readonly requestId?: string | null;
  /** What the caller sums up its orders by: up to five words, each once. Null or absent for none. */
  readonly tags?: readonly string[] | null;
}

/** What every order begins with: queued, and never admitted. */
export const NEW_ORDER = {
  status: 'queued',
  admittedAtMs: null,
  finishedAtMs: null,
  price: null,
  levelSeq: null,
  firstPrice: null,
  attempt: 0,
  failures: 0,
  hold: 0n,
  restedSeq: null,
  pod: null,
  error: null,
  errorMessage: null,
  resultExpiresAtMs: null,
} as const satisfies Partial<OrderRow>;

/** Whether its stream can be read from any event on: it goes on without its caller, and is no line. */
export function isFollowable({ outlives, batchId }: Pick<OrderRow, 'outlives' | 'batchId'>): boolean {
  return outlives && batchId === null;
}

/** An order row with its settled usage, for readers; `null` without a usage record. */
export interface OrderWithUsage extends OrderRow {
  readonly usage: OrderUsage | null;
}

/** Token counts and the charge net of refunds. */
export interface OrderUsage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly charged: NanoUsd;
  /** Whether the gateway estimated the tokens, because the pod reported none that are possible. */
  readonly estimated: boolean;
}
