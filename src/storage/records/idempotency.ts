/** Describes the table of Idempotency-Keys, and deletes those that have expired. */
import type { IdempotencyRow } from '#orders/units.ts';
import { codec, column } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { writing } from '../database/transaction.ts';
import { int, text } from '../database/values.ts';

const STEP_ROWS = 500;

/** The Idempotency-Keys. */
export const {
  from: idempotencyFrom,
  row: idempotencyRecord,
  columns: idempotencyColumns,
} = codec<IdempotencyRow>({
  accountId: text,
  endpoint: text,
  key: column('idempotency_key', text),
  orderId: text,
  fingerprint: text,
  createdAtMs: int,
  expiresAtMs: int,
});

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
