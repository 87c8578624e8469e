/** What is told of an order that has ended, for metrics. */
import type { NanoUsd } from '#base/money.ts';
import type { Tokens } from '#ledger/tariff.ts';
import type { LiveOrder } from './live-order.ts';
import type { OrderKind } from './order.ts';
import type { Settlement } from './settlement.ts';

/** The end of an order of a customer, as committed by this process. Times are in milliseconds. */
export interface EndedOrder {
  readonly model: string;
  readonly kind: OrderKind;
  readonly status: 'done' | 'error' | 'canceled' | 'expired';
  /** Why it got no answer, as stored in its row; null on done. */
  readonly error: string | null;
  /** Whether a caller waited for the answer: it was neither detached nor a line of a batch. */
  readonly attended: boolean;
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
  /** Whether the gateway counted the tokens itself. */
  readonly estimated: boolean;
}

/** Told of each of them; never throws. */
export type EndListener = (order: EndedOrder) => void;

interface Unanswered {
  readonly status: 'error' | 'canceled' | 'expired';
  readonly error: string;
  readonly atMs: number;
}

/** Tells that an order ended without an answer. Of orders that the gateway sent itself nothing is told. */
export function tellUnanswered(listener: EndListener | undefined, order: LiveOrder, end: Unanswered): void {
  if (listener && !order.row.house) listener({ ...timesOf(order, end.atMs), ...end, charge: null });
}

/** Tells that an order was settled; the same. */
export function tellSettled(
  listener: EndListener | undefined,
  order: LiveOrder,
  { answer, estimated }: Settlement,
  { charged, writtenOff }: Pick<EndedCharge, 'charged' | 'writtenOff'>,
): void {
  if (!listener || order.row.house) return;
  const charge = { tokens: answer.receipt.tokens, charged, writtenOff, estimated };
  listener({ ...timesOf(order, answer.finishedAtMs), status: 'done', error: null, charge });
}

/** A clock that stepped back counts as no time. */
function timesOf(order: LiveOrder, atMs: number): Omit<EndedOrder, 'status' | 'error' | 'charge'> {
  const { listing, kind, attempt, createdAtMs, admittedAtMs, firstOutputAtMs } = order;
  const between = (fromMs: number, toMs: number) => (toMs === 0 ? null : Math.max(0, toMs - fromMs));
  return {
    model: listing.id,
    kind,
    attended: !order.detached && order.row.batchId === null,
    allMs: Math.max(0, atMs - createdAtMs),
    queueMs: attempt === 1 ? between(createdAtMs, admittedAtMs) : null,
    pipelineMs: admittedAtMs === 0 ? null : between(admittedAtMs, atMs),
    firstTokenMs: between(createdAtMs, firstOutputAtMs),
  };
}
