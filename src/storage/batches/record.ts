/** Converts a batch to a row and back. */
import { type BatchRow, type BatchStatus, batchStatuses } from '#batches/batch.ts';
import type { NewBatch } from '#batches/units.ts';
import { type OrderKind, orderKinds } from '#orders/order.ts';
import {
  bit,
  flag,
  int,
  intOrNull,
  oneOf,
  priceOrNull,
  type Row,
  text,
  textOrNull,
  type Value,
} from '../database/values.ts';

const columns = [
  ...['id', 'account_id', 'key_id', 'kind', 'status', 'input_file_id', 'output_file_id', 'error_file_id'],
  ...['price_limit', 'price_limits', 'tariffs', 'retention_days', 'log_payloads', 'metadata'],
  ...['created_at_ms', 'expires_at_ms', 'active', 'completed', 'failed', 'expired', 'canceled', 'placed'],
  ...['output_bytes', 'error_bytes'],
];

/** Inserts a batch in status validating; bind `batchParams`. */
export const INSERT_BATCH = `INSERT INTO batches (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;

/** The values of a new row, in the order of the columns. */
export function batchParams(batch: NewBatch): Value[] {
  return [
    ...[batch.id, batch.accountId, batch.keyId, batch.kind, 'validating'],
    ...[batch.inputFileId, batch.outputFileId, batch.errorFileId],
    ...[priceOrNull(batch.limit), JSON.stringify(batch.priceLimits), JSON.stringify(batch.tariffIds)],
    ...[batch.retentionDays, bit(batch.logPayloads), batch.metadata && JSON.stringify(batch.metadata)],
    ...[batch.createdAtMs, batch.expiresAtMs, 0, 0, 0, 0, 0, 0, 0, 0],
  ];
}

/** The batch in a row of `batches`. */
export function batchFrom(row: Row): BatchRow {
  return {
    id: text(row.id),
    accountId: text(row.account_id),
    keyId: textOrNull(row.key_id),
    kind: oneOf<OrderKind>(orderKinds, row.kind),
    status: oneOf<BatchStatus>(batchStatuses, row.status),
    inputFileId: text(row.input_file_id),
    outputFileId: text(row.output_file_id),
    errorFileId: text(row.error_file_id),
    limit: intOrNull(row.price_limit),
    priceLimits: JSON.parse(text(row.price_limits)),
    tariffIds: JSON.parse(text(row.tariffs)),
    retentionDays: int(row.retention_days),
    logPayloads: flag(row.log_payloads),
    metadata: row.metadata === null ? null : JSON.parse(text(row.metadata)),
    errors: row.errors === null ? null : JSON.parse(text(row.errors)),
    createdAtMs: int(row.created_at_ms),
    expiresAtMs: int(row.expires_at_ms),
    inProgressAtMs: intOrNull(row.in_progress_at_ms),
    cancellingAtMs: intOrNull(row.cancelling_at_ms),
    endedAtMs: intOrNull(row.ended_at_ms),
    counts: {
      total: intOrNull(row.total),
      active: int(row.active),
      completed: int(row.completed),
      failed: int(row.failed),
      expired: int(row.expired),
      canceled: int(row.canceled),
      placed: int(row.placed),
    },
    sizes: { outputBytes: int(row.output_bytes), errorBytes: int(row.error_bytes) },
  };
}
