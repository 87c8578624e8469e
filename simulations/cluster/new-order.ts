/** Orders of the callers of a simulated cluster. */
import type { OrderRow } from '#orders/order.ts';

/** What matters of an order here. */
export type NewOrder = Pick<OrderRow, 'id' | 'accountId' | 'model' | 'outlives' | 'bootEpoch'> & {
  readonly bid: number;
  readonly nowMs: number;
};

/** The row of a new order. */
export function newOrder({ nowMs, bid, outlives, ...order }: NewOrder): OrderRow {
  return {
    ...order,
    ...{ keyId: null, kind: 'chat', status: 'queued', bid, limit: bid, priceLock: false, quoteAtSubmission: null },
    ...{ tariffId: '', createdAtMs: nowMs, admittedAtMs: null, finishedAtMs: null, expiresAtMs: nowMs + 1e9 },
    ...{ price: null, levelSeq: null, firstPrice: null, attempt: 0, failures: 0, hold: 0n, restedSeq: null, pod: null },
    ...{ error: null, errorMessage: null, detached: outlives, outlives, house: false, batchId: null, customId: null },
    ...{ promptBound: 1, promptEstimate: 1, outputCap: 1, resultState: 'none', resultExpiresAtMs: null },
    retentionDays: 0,
  };
}
