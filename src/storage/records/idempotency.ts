/** Converts Idempotency-Keys to rows and back, and deletes those that have expired. */
import type { IdempotencyRow } from '#orders/units.ts';
import type { Database } from '../database/database.ts';
import { writing } from '../database/transaction.ts';
import { int, type Row, text } from '../database/values.ts';

const STEP_ROWS = 500;

export function idempotencyFrom(row: Row): IdempotencyRow {
  return {
    accountId: text(row.account_id),
    endpoint: text(row.endpoint),
    key: text(row.idempotency_key),
    orderId: text(row.order_id),
    fingerprint: text(row.fingerprint),
    createdAtMs: int(row.created_at_ms),
    expiresAtMs: int(row.expires_at_ms),
  };
}

/** Deletes the keys that expired by `nowMs`, a bounded number at a time, and returns how many. Safe beside a gateway. */
export async function sweepKeys(db: Database, nowMs: number): Promise<number> {
  for (let swept = 0; ; ) {
    const orderIds: string[] = await db
      .knex('idempotency_keys')
      .where('expires_at_ms', '<=', nowMs)
      .limit(STEP_ROWS)
      .pluck('order_id');
    if (orderIds.length === 0) return swept;
    // A settlement may have extended one of them since.
    const due = (trx: Database['knex']) => trx('idempotency_keys').whereIn('order_id', orderIds);
    swept += await writing(db, (trx) => due(trx).where('expires_at_ms', '<=', nowMs).delete());
  }
}
