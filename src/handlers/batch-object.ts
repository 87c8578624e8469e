/** A batch on the wire. Everything is in its row: no lines are counted to show it. Spec 2.6. */
import { priceToUsd } from '#base/money.ts';
import { epochSeconds } from '#base/time.ts';
import { type BatchRecord, ENDPOINTS, isActive, keptDays } from '#batches/batch.ts';
import { fileExpiryMs } from '#batches/file.ts';

/** The batch object at `nowMs`. Times are whole epoch seconds, null for what has not happened yet. */
export function batchObject(batch: BatchRecord, nowMs: number) {
  const { status, counts, endedAtMs } = batch;
  const { completed, failed, active, expired, canceled, placed } = counts;
  const endedAs = (...statuses: readonly string[]) => (statuses.includes(status) ? seconds(endedAtMs) : null);
  return {
    id: batch.id,
    object: 'batch',
    endpoint: ENDPOINTS[batch.kind],
    status,
    input_file_id: batch.inputFileId,
    output_file_id: fileId(batch, batch.outputFileId, batch.sizes.outputBytes),
    error_file_id: fileId(batch, batch.errorFileId, batch.sizes.errorBytes),
    errors: batch.errors && { object: 'list', data: batch.errors.map((message) => ({ code: 'batch_error', message })) },
    completion_window: '24h',
    created_at: epochSeconds(batch.createdAtMs),
    in_progress_at: seconds(batch.inProgressAtMs),
    finalizing_at: endedAs('completed', 'expired'),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: seconds(batch.cancellingAtMs),
    cancelled_at: endedAs('cancelled'),
    expires_at: epochSeconds(batch.expiresAtMs),
    request_counts: { total: counts.total ?? 0, completed, failed },
    metadata: batch.metadata,
    x_market: {
      active,
      pending_result: completed + failed - placed,
      expired,
      canceled,
      bid: batch.limit === null ? null : priceToUsd(batch.limit),
      deadline: seconds(batch.deadlineMs),
    },
    x_retention: retentionOf(batch, nowMs),
  };
}

/** Null for an empty file, and for one that may still grow. */
function fileId(batch: BatchRecord, id: string, bytes: number): string | null {
  return isActive(batch) || bytes === 0 ? null : id;
}

function retentionOf({ endedAtMs, sizes, retentionDays, outputGone }: BatchRecord, nowMs: number) {
  const hasOutput = endedAtMs !== null && sizes.outputBytes > 0;
  const expiresAtMs = hasOutput ? fileExpiryMs(endedAtMs, retentionDays) : null;
  return {
    output_days: keptDays(retentionDays),
    output_expires_at: seconds(expiresAtMs),
    output_deleted: expiresAtMs !== null && (outputGone || nowMs >= expiresAtMs),
  };
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : epochSeconds(ms);
}
