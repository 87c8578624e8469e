/** What happens to an order while it waits. No money moves here. */
import type { CloseUnit, PlainOutcome, RepriceUnit } from '#orders/journal-port.ts';
import { price } from '../values.ts';
import { dropBodyAndKey, readOrder } from './order-state.ts';
import { run, type Steps } from './steps.ts';
import type { Context } from './units.ts';

/** Ends a queued order. Its key is free again, its kept input gone. */
export function* close(unit: CloseUnit, { orderDays, batchCounts }: Context): Steps<PlainOutcome> {
  const state = yield* readOrder(unit.orderId);
  if (state?.status !== 'queued') {
    const mine =
      state?.status === unit.status && state.error === unit.error && state.finishedAtMs === unit.finishedAtMs;
    return { result: mine ? 'changed' : 'stale' };
  }
  const { changes } = yield run(
    `UPDATE orders SET status = ?, finished_at_ms = ?, error = ?, error_message = ?, result_state = 'none'
     WHERE id = ? AND status = 'queued'`,
    unit.status,
    unit.finishedAtMs,
    unit.error,
    unit.errorMessage,
    unit.orderId,
  );
  if (changes === 1) {
    orderDays.count(state, unit.status);
    batchCounts.ended(state.batchId, unit.status);
    if (state.outlives) yield* dropBodyAndKey(unit.orderId);
  }
  return plain(changes);
}

/** A new price, behind those already resting at it. The caller's own limit moves with the bid: a lock is never repriced. */
export function* reprice({ orderId, bid, restedSeq }: RepriceUnit): Steps<PlainOutcome> {
  const { changes } = yield run(
    "UPDATE orders SET bid = ?, price_limit = ?, rested_seq = ? WHERE id = ? AND status = 'queued'",
    price(bid),
    price(bid),
    restedSeq,
    orderId,
  );
  return plain(changes);
}

function plain(changes: number): PlainOutcome {
  return { result: changes === 1 ? 'changed' : 'stale' };
}
