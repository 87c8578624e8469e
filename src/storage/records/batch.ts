/** Converts a batch to a row and back. */
import { type BatchRow, type BatchStatus, batchStatuses } from '#batches/batch.ts';
import type { NewBatch } from '#batches/units.ts';
import { type OrderKind, orderKinds } from '#orders/order.ts';
import {
  bit,
  flag,
  int,
  intOrNull,
  type NewRow,
  oneOf,
  priceOrNull,
  type Row,
  text,
  textOrNull,
} from '../database/values.ts';

/** The columns of a new row. */
export const batchColumns = [
  ...['id', 'account_id', 'key_id', 'kind', 'status', 'input_file_id', 'output_file_id', 'error_file_id'],
  ...['price_limit', 'price_limits', 'tariffs', 'retention_days', 'log_payloads', 'metadata'],
  ...['created_at_ms', 'expires_at_ms', 'active', 'completed', 'failed', 'expired', 'canceled', 'placed'],
  ...['output_bytes', 'error_bytes', 'boot_epoch', 'key_models', 'key_budgeted', 'deadline_ms'],
];

/** The row of a new batch, in status validating. */
export function newBatchRow(batch: NewBatch): NewRow {
  return {
    id: batch.id,
    account_id: batch.accountId,
    key_id: batch.keyId,
    kind: batch.kind,
    status: 'validating',
    input_file_id: batch.inputFileId,
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    price_limit: priceOrNull(batch.limit),
    price_limits: JSON.stringify(batch.priceLimits),
    tariffs: JSON.stringify(batch.tariffIds),
    retention_days: batch.retentionDays,
    log_payloads: bit(batch.logPayloads),
    metadata: batch.metadata && JSON.stringify(batch.metadata),
    created_at_ms: batch.createdAtMs,
    expires_at_ms: batch.expiresAtMs,
    ...{ active: 0, completed: 0, failed: 0, expired: 0, canceled: 0, placed: 0, output_bytes: 0, error_bytes: 0 },
    boot_epoch: batch.bootEpoch,
    key_models: batch.keyModels && JSON.stringify(batch.keyModels),
    key_budgeted: bit(batch.keyBudgeted),
    deadline_ms: batch.deadlineMs,
  };
}

/** The batch in a row of `batches`. */
export function batchFrom(row: Row): BatchRow {
  return {
    id: text(row.id),
    accountId: text(row.account_id),
    keyId: textOrNull(row.key_id),
    bootEpoch: int(row.boot_epoch),
    kind: oneOf<OrderKind>(orderKinds, row.kind),
    status: oneOf<BatchStatus>(batchStatuses, row.status),
    inputFileId: text(row.input_file_id),
    outputFileId: text(row.output_file_id),
    errorFileId: text(row.error_file_id),
    limit: intOrNull(row.price_limit),
    priceLimits: JSON.parse(text(row.price_limits)),
    tariffIds: JSON.parse(text(row.tariffs)),
    keyModels: row.key_models === null ? null : JSON.parse(text(row.key_models)),
    keyBudgeted: flag(row.key_budgeted),
    retentionDays: int(row.retention_days),
    logPayloads: flag(row.log_payloads),
    metadata: row.metadata === null ? null : JSON.parse(text(row.metadata)),
    errors: row.errors === null ? null : JSON.parse(text(row.errors)),
    createdAtMs: int(row.created_at_ms),
    expiresAtMs: int(row.expires_at_ms),
    deadlineMs: intOrNull(row.deadline_ms),
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
