/** Describes the tables of batches and files. */
import { type BatchCounts, type BatchRow, batchStatuses } from '#batches/batch.ts';
import { type FileRow, filePurposes } from '#batches/file.ts';
import type { BatchFileSizes, NewBatch } from '#batches/units.ts';
import { orderKinds } from '#orders/order.ts';
import { codec, column } from '../database/codec.ts';
import { flag, int, intOrNull, json, type NewRow, oneOf, orNull, price, text, textOrNull } from '../database/values.ts';
import { tagList } from './order.ts';

/** The batches. */
const batches = codec<BatchRow>({
  id: text,
  accountId: text,
  keyId: textOrNull,
  bootEpoch: int,
  kind: oneOf(orderKinds),
  status: oneOf(batchStatuses),
  inputFileId: text,
  outputFileId: text,
  errorFileId: text,
  limit: column('price_limit', orNull(price)),
  priceLimits: json(),
  tariffIds: column('tariffs', json()),
  keyModels: orNull(json()),
  keyBudgeted: flag,
  strict: flag,
  tags: orNull(tagList),
  retentionDays: int,
  logPayloads: flag,
  metadata: orNull(json()),
  errors: orNull(json()),
  createdAtMs: int,
  expiresAtMs: int,
  deadlineMs: intOrNull,
  inProgressAtMs: intOrNull,
  cancellingAtMs: intOrNull,
  endedAtMs: intOrNull,
  counts: codec<BatchCounts>({
    total: intOrNull,
    active: int,
    completed: int,
    failed: int,
    expired: int,
    canceled: int,
    placed: int,
  }),
  sizes: codec<BatchFileSizes>({ outputBytes: int, errorBytes: int }),
});

export const { from: batchFrom, columns: batchColumns } = batches;

/** The row of a new batch, in status validating. */
export function newBatchRow(batch: NewBatch): NewRow {
  return batches.row({
    ...batch,
    status: 'validating',
    errors: null,
    inProgressAtMs: null,
    cancellingAtMs: null,
    endedAtMs: null,
    counts: { total: null, active: 0, completed: 0, failed: 0, expired: 0, canceled: 0, placed: 0 },
    sizes: { outputBytes: 0, errorBytes: 0 },
  });
}

/** The files. */
export const {
  from: fileFrom,
  row: fileRecord,
  columns: fileColumns,
} = codec<FileRow>({
  id: text,
  accountId: text,
  keyId: textOrNull,
  purpose: oneOf(filePurposes),
  filename: text,
  bytes: int,
  createdAtMs: int,
  expiresAtMs: int,
  contentGone: flag,
});
