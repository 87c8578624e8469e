/** Reports to the metrics, and to the trace of the order, how an order or an attempt of it went. */
import type { Log } from '#base/log.ts';
import type { NanoUsd } from '#base/money.ts';
import type { ChargeBound } from '#ledger/receipt.ts';
import type { Answer } from '#results/result.ts';
import type { LiveOrder } from './live-order.ts';
import type { BegunAttempt, EndedAttempt, EndedCharge, EndedOrder } from './order-facts.ts';
import type { OrderServiceParts } from './order-parts.ts';
import type { AttemptOutcome, RunTimes } from './ports.ts';
import type { Settlement } from './settlement.ts';

/** An answer of fewer tokens says nothing about their pace. */
const PACE_TOKENS_MIN = 10;

type Observers = Pick<OrderServiceParts, 'onEnd' | 'log'>;

interface Unanswered {
  readonly status: 'error' | 'canceled' | 'expired';
  readonly error: string;
  readonly atMs: number;
  /** Whether it ended in a run. */
  readonly ran: boolean;
}

/** Reports that an order ended without an answer. Orders that the gateway sent itself are not reported. */
export function tellUnanswered(observers: Observers, order: LiveOrder, end: Unanswered): void {
  tell(observers, order, () => ({ ...factsOf(order, end), status: end.status, error: end.error, charge: null }));
}

/** Reports that an order was settled; the same. */
export function tellSettled(
  observers: Observers,
  order: LiveOrder,
  { answer, estimated }: Settlement,
  { charged, writtenOff }: Pick<EndedCharge, 'charged' | 'writtenOff'>,
): void {
  const end = { atMs: answer.finishedAtMs, ran: true };
  const { tokens, bound } = answer.receipt;
  const aboveBound = writtenOff > 0n && bound ? above(charged + writtenOff, bound) : 0n;
  const charge = { tokens, charged, writtenOff, aboveBound, estimated };
  tell(observers, order, () => ({ ...factsOf(order, end), status: 'done', error: null, charge }));
}

function above(due: NanoUsd, { maxCharge }: ChargeBound): NanoUsd {
  return due > maxCharge ? due - maxCharge : 0n;
}

function tell({ onEnd, log }: Observers, order: LiveOrder, ended: () => EndedOrder): void {
  const follower = order.trace?.follower;
  if (order.row.house || !(onEnd || follower)) return;
  const facts = ended();
  observed(log, order, () => onEnd?.(facts));
  observed(log, order, () => follower?.ended(facts));
}

/**
 * Reports an order to metrics or traces. Errors that they throw are logged and do not affect the order; the result is
 * then null.
 */
export function observed<Seen>(log: Log, { orderId }: LiveOrder, observe: () => Seen): Seen | null {
  try {
    return observe();
  } catch (error) {
    log.error({ order: orderId, err: error }, 'Metrics or traces failed to take in what an order did.');
    return null;
  }
}

/** What is reported of the attempt that an order begins on this pod. */
export function begunAttempt(order: LiveOrder, pod: string): BegunAttempt {
  const { attempt, price, queuedAtMs, admittedAtMs } = order;
  return { ...toldOf(order), attempt, pod, price, outputCap: order.outputCap, queuedAtMs, admittedAtMs };
}

/** What is reported of its end. */
export function endedAttempt({ firstOutputAtMs, output }: LiveOrder, outcome: AttemptOutcome): EndedAttempt {
  return {
    outcome: outcome.kind,
    firstOutputAtMs: firstOutputAtMs === 0 ? null : firstOutputAtMs,
    finishReason: output.finishReason,
    usage: 'usage' in outcome ? outcome.usage : null,
  };
}

function toldOf(order: LiveOrder) {
  const { orderId, listing, kind, detached, bid, createdAtMs, row } = order;
  const attended = !detached && row.batchId === null;
  return { orderId, model: listing.id, kind, attended, batchId: row.batchId, bid, createdAtMs };
}

/** A clock that stepped back counts as no time. */
function factsOf(
  order: LiveOrder,
  { atMs, ran }: Pick<Unanswered, 'atMs' | 'ran'>,
): Omit<EndedOrder, 'status' | 'error' | 'charge'> {
  const { attempt, price, queuedAtMs, createdAtMs, admittedAtMs, firstOutputAtMs } = order;
  const between = (fromMs: number, toMs: number) => (toMs === 0 ? null : Math.max(0, toMs - fromMs));
  return {
    ...toldOf(order),
    account: order.row.accountId,
    endedAtMs: atMs,
    price: admittedAtMs === 0 ? null : price,
    waitedSinceMs: ran ? null : queuedAtMs,
    allMs: Math.max(0, atMs - createdAtMs),
    queueMs: attempt === 1 ? between(createdAtMs, admittedAtMs) : null,
    pipelineMs: admittedAtMs === 0 ? null : between(admittedAtMs, atMs),
    firstTokenMs: between(createdAtMs, firstOutputAtMs),
  };
}

/** The times of an order that ran. A clock that stepped back counts as no time. */
export function timesOf(order: LiveOrder, { receipt, finishedAtMs }: Answer): RunTimes {
  const { listing, attempt, createdAtMs, admittedAtMs, firstOutputAtMs, bid, price } = order;
  const hasOutput = firstOutputAtMs > 0;
  const outputMs = finishedAtMs - firstOutputAtMs;
  const { output } = receipt.tokens;
  return {
    model: listing.id,
    waitMs: attempt === 1 ? Math.max(0, admittedAtMs - createdAtMs) : null,
    // The price is the level unless the bid is lower.
    bidOverLevel: bid <= price ? 1 : bid / price,
    firstTokenMs: hasOutput ? Math.max(0, firstOutputAtMs - admittedAtMs) : null,
    tokensPerSecond: hasOutput && output >= PACE_TOKENS_MIN && outputMs > 0 ? (1000 * (output - 1)) / outputMs : null,
  };
}
