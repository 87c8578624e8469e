/** The Idempotency-Key row as the table holds it. */
import type { IdempotencyRow } from '#orders/journal-port.ts';
import { int, type Row, text } from './values.ts';

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
