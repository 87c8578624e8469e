/** Orders of the callers of a simulated cluster. */
import { NEW_ORDER, type OrderRow } from '#orders/order.ts';

/** What matters of an order here. */
export type NewOrder = Pick<OrderRow, 'id' | 'accountId' | 'model' | 'outlives' | 'bootEpoch'> & {
  readonly bid: number;
  readonly nowMs: number;
};

/** The row of a new order. */
export function newOrder({ nowMs, bid, outlives, ...order }: NewOrder): OrderRow {
  return {
    ...NEW_ORDER,
    ...order,
    ...{ keyId: null, kind: 'chat', bid, limit: bid, priceLock: false, quoteAtSubmission: null },
    ...{ tariffId: '', createdAtMs: nowMs, expiresAtMs: nowMs + 1e9 },
    ...{ detached: outlives, outlives, house: false, batchId: null, customId: null },
    ...{ promptBound: 1, promptEstimate: 1, outputCap: 1, resultState: 'none', retentionDays: 0 },
  };
}
