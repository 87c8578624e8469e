/** Units of a queued order: its end without a run (cancel, expiry), and a new price. No money moves here. */
import type { PlainOutcome } from '#base/journal.ts';
import type { CloseUnit, RepriceUnit } from '#orders/units.ts';
import { int, price } from '../database/values.ts';
import type { Context } from './context.ts';
import { dropBodyAndKey, readOrder } from './order-state.ts';
import { first, run, type Steps } from './steps.ts';

/** Ends a queued order, frees its key and deletes its kept input. */
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
    yield* dropBodyAndKey(unit.orderId, state);
  }
  return plain(changes);
}

/** A new price, behind those already resting at it. The price limit moves with the bid: a lock is never repriced. */
export function* reprice({ orderId, bid, restedSeq }: RepriceUnit, { again }: Context): Steps<PlainOutcome> {
  const { changes } = yield run(
    "UPDATE orders SET bid = ?, price_limit = ?, rested_seq = ? WHERE id = ? AND status = 'queued'",
    price(bid),
    price(bid),
    restedSeq,
    orderId,
  );
  if (changes === 1 || !again) return plain(changes);
  // On a retry the order may have been admitted at this price already, or ended at it. Its `rested_seq` only rises.
  const row = yield* first('SELECT rested_seq FROM orders WHERE id = ?', orderId);
  return plain(row && int(row.rested_seq) >= restedSeq ? 1 : 0);
}

function plain(changes: number): PlainOutcome {
  return { result: changes === 1 ? 'changed' : 'stale' };
}
