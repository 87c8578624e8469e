/**
 * What observers receive of orders, for metrics and traces: plain facts, never a prompt or an answer.
 * An observer never throws and never waits.
 */
import type { NanoUsd, PriceNano } from '#base/money.ts';
import type { Tokens } from '#ledger/tariff.ts';
import type { FinishReason, ReportedUsage } from '#results/generation.ts';
import type { OrderKind } from './order.ts';

/** The fields that every report of an order has. */
interface ToldOrder {
  readonly orderId: string;
  readonly model: string;
  readonly kind: OrderKind;
  /** Whether a caller waited for the answer: it was neither detached nor a line of a batch. */
  readonly attended: boolean;
  /** Null outside any batch. */
  readonly batchId: string | null;
  readonly bid: PriceNano;
  readonly createdAtMs: number;
}

/** The end of an order of a customer, as committed by this process. Times are in milliseconds. */
export interface EndedOrder extends ToldOrder {
  /** The id of the account; for metrics. */
  readonly account: string;
  readonly status: 'done' | 'error' | 'canceled' | 'expired';
  /** Why it got no answer, as stored in its row; null on done. */
  readonly error: string | null;
  readonly endedAtMs: number;
  /** The price at its last admission; null if it was never admitted. */
  readonly price: PriceNano | null;
  /** Since when it had been waiting when it ended; null if it ended in a run. */
  readonly waitedSinceMs: number | null;
  /** From its submission to its end. */
  readonly allMs: number;
  /** From its submission to its admission; null if it was never admitted, or more than once. */
  readonly queueMs: number | null;
  /** From its last admission to its end; null if it was never admitted. */
  readonly pipelineMs: number | null;
  /** From its submission to its first output; null without output. */
  readonly firstTokenMs: number | null;
  /** What was charged; null unless it is done. */
  readonly charge: EndedCharge | null;
}

/** What was charged for an order that is done. */
export interface EndedCharge {
  readonly tokens: Tokens;
  /** What was debited. */
  readonly charged: NanoUsd;
  readonly writtenOff: NanoUsd;
  /** The part of that which is above the bound of the charge: its caller decided it, and no money was missing. */
  readonly aboveBound: NanoUsd;
  /** Whether the gateway counted the tokens itself. */
  readonly estimated: boolean;
}

/** Called with each of them. */
export type EndListener = (order: EndedOrder) => void;

/** An attempt that is about to be sent to its pod. */
export interface BegunAttempt extends ToldOrder {
  /** From 1. */
  readonly attempt: number;
  readonly pod: string;
  /** What the order is charged at. */
  readonly price: PriceNano;
  readonly outputCap: number;
  /** Since when the order waited for it. */
  readonly queuedAtMs: number;
  readonly admittedAtMs: number;
}

/** How it ended. */
export interface EndedAttempt {
  readonly outcome: 'complete' | 'refused' | 'no-slot' | 'failed' | 'aborted';
  /** When its first output came; null for none. */
  readonly firstOutputAtMs: number | null;
  /** Null unless the model finished. */
  readonly finishReason: FinishReason | null;
  /** The last that the pod had sent; null for none. */
  readonly usage: ReportedUsage | null;
}

/** The headers of the W3C that name a trace and a span in it. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate: string | null;
}

/** Follows one order, for a trace. */
export interface OrderFollower {
  began(attempt: BegunAttempt): AttemptFollower;
  /** The order has ended, which is reported once, or never by a process that leaves it to the next one. */
  ended(order: EndedOrder): void;
}

/** Follows one attempt. */
export interface AttemptFollower {
  /** For its pod. */
  readonly context: TraceHeaders;
  ended(end: EndedAttempt): void;
}
