/** Units of a queued order: its end without a run (cancel, expiry), and a new price. No money moves here. */
import type { PlainOutcome } from '#base/journal.ts';
import type { CloseUnit, RepriceUnit } from '#orders/units.ts';
import { int, price } from '../database/values.ts';
import type { UnitKind } from './context.ts';
import { endUncharged, orderState, wantKeyOf } from './order-state.ts';

/** Ends a queued order, frees its key and deletes its kept input. */
export const close: UnitKind<CloseUnit, PlainOutcome> = {
  want({ orderId }, { picture }) {
    picture.orders.want(orderId);
  },

  wantMore({ orderId }, { picture }) {
    wantKeyOf(picture, orderId);
  },

  apply({ orderId, status, error, errorMessage, finishedAtMs }, { picture }) {
    const state = orderState(picture, orderId);
    if (state?.status !== 'queued') {
      const mine = state?.status === status && state.error === error && state.finishedAtMs === finishedAtMs;
      return { result: mine ? 'changed' : 'stale' };
    }
    const ended = { status, finished_at_ms: finishedAtMs, error, error_message: errorMessage, result_state: 'none' };
    picture.orders.change(ended, orderId);
    endUncharged(picture, orderId, state, { status, error, finishedAtMs });
    return { result: 'changed' };
  },
};

/** A new price, behind those already resting at it. The price limit moves with the bid, unless it is named: a lock is never repriced. */
export const reprice: UnitKind<RepriceUnit, PlainOutcome> = {
  want({ orderId }, { picture }) {
    picture.orders.want(orderId);
  },

  apply({ orderId, bid, limit = bid, restedSeq }, { picture: { orders }, again }) {
    const row = orders.find(orderId);
    if (row?.status === 'queued') {
      orders.change({ bid: price.bind(bid), price_limit: price.bind(limit), rested_seq: restedSeq }, orderId);
      return { result: 'changed' };
    }
    // On a retry the order may have been admitted at this price already, or ended at it. Its `rested_seq` only rises.
    return { result: again && row && int(row.rested_seq) >= (restedSeq ?? 0) ? 'changed' : 'stale' };
  },
};
