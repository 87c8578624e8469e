/** Plausible batches for tests: a test sets only the fields that it is about. */

import { idSource } from '#base/id.ts';
import { DAY_MS } from '#base/time.ts';
import { type BatchRow, newBatchId } from '#batches/batch.ts';
import { newFileId } from '#batches/file.ts';
import { ManualClock } from './manual-clock.ts';
import { startMs } from './order-fixtures.ts';

const ids = idSource(new ManualClock(startMs));

/** A batch of chat requests that has just been made, and may run for a day. */
export function batchRow(change: Partial<BatchRow> & Pick<BatchRow, 'accountId'>): BatchRow {
  return {
    id: newBatchId(ids),
    keyId: null,
    bootEpoch: 1,
    kind: 'chat',
    inputFileId: newFileId(ids),
    outputFileId: newFileId(ids),
    errorFileId: newFileId(ids),
    limit: null,
    priceLimits: {},
    keyModels: null,
    keyBudgeted: false,
    strict: false,
    tags: null,
    tariffIds: {},
    retentionDays: 30,
    logPayloads: false,
    metadata: null,
    createdAtMs: startMs,
    expiresAtMs: startMs + DAY_MS,
    deadlineMs: null,
    status: 'validating',
    errors: null,
    inProgressAtMs: null,
    cancellingAtMs: null,
    endedAtMs: null,
    counts: { total: null, active: 0, completed: 0, failed: 0, expired: 0, canceled: 0, placed: 0 },
    sizes: { outputBytes: 0, errorBytes: 0 },
    ...change,
  };
}
