/** Describes the table of Idempotency-Keys. */
import type { IdempotencyRow } from '#orders/units.ts';
import { codec, column } from '../database/codec.ts';
import { int, text } from '../database/values.ts';

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
