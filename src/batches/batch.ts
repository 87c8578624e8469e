/**
 * A batch: a file of requests that run as orders, and the files of what came of them. Its row carries what it was
 * created with, so that nothing that changes later changes its terms, and counts that move with its lines. Spec 2.6, 3.
 */
import { BATCH_RETENTION_DAYS_MIN, type Range } from '#base/bounds.ts';
import type { IdSource } from '#base/id.ts';
import type { BatchFileSizes, NewBatch } from '#orders/batch-units.ts';
import type { OrderKind } from '#orders/order.ts';
import type { Customer } from '#orders/request.ts';

export const batchStatuses = [
  'validating',
  'in_progress',
  'cancelling',
  'completed',
  'expired',
  'cancelled',
  'failed',
] as const;
export type BatchStatus = (typeof batchStatuses)[number];

/** The statuses of batches that still have something to do; an account may have five of these. Spec 8. */
export const ACTIVE_STATUSES = ['validating', 'in_progress', 'cancelling'] as const satisfies readonly BatchStatus[];

/** Where the lines of each kind go. */
export const ENDPOINTS: Readonly<Record<OrderKind, string>> = {
  chat: '/v1/chat/completions',
  completion: '/v1/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** How long a batch may run when its creator does not say, in seconds. */
const BATCH_WAIT_S = 86_400;

/** How many lines are what. Each line that is known is active or ended; an ended one is completed or failed. */
export interface BatchCounts {
  /** Lines of the input; null until it was read to its end. */
  readonly total: number | null;
  /** Orders that live. */
  readonly active: number;
  readonly completed: number;
  /** The expired and canceled ones included. */
  readonly failed: number;
  readonly expired: number;
  readonly canceled: number;
  /** Ended lines that stand in a file. */
  readonly placed: number;
}

/** A batch as stored. Times are epoch milliseconds, null while they have not come. */
export interface BatchRow extends NewBatch {
  readonly status: BatchStatus;
  /** Why validation failed, a sentence each; null otherwise. */
  readonly errors: readonly string[] | null;
  readonly inProgressAtMs: number | null;
  readonly cancellingAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly counts: BatchCounts;
  readonly sizes: BatchFileSizes;
}

/** A batch as readers see it. */
export interface BatchRecord extends BatchRow {
  /** Whether there was an output file, and its content or even its row is gone. */
  readonly outputGone: boolean;
}

const BATCH_ID = /^batch_[0-9a-f]{24}$/;

/** A new id, greater than those before it: `batch_` and 24 characters. */
export function newBatchId(ids: Pick<IdSource, 'uuid'>): string {
  const digits = ids.uuid().replaceAll('-', '');
  // A time and a counter, which stand apart in a UUID, then as much chance as there is room for.
  return `batch_${digits.slice(0, 12)}${digits.slice(13, 16)}${digits.slice(-9)}`;
}

/** Whether `text` is an id that this service could have made. */
export function isBatchId(text: string): boolean {
  return BATCH_ID.test(text);
}

/** Whether the batch has something to do. */
export function isActive({ status }: { readonly status: BatchStatus }): boolean {
  return ACTIVE_STATUSES.some((active) => active === status);
}

/** Days that the files of a batch, and the answers of its lines, are kept: at least one, whatever the account says. */
export function keptDays(retentionDays: number): number {
  return Math.max(retentionDays, BATCH_RETENTION_DAYS_MIN);
}

/** When a batch created now ends at the latest. */
export function deadlineMs(createdAtMs: number, maxWaitS: number | null, bounds: Range): number {
  return createdAtMs + Math.min(bounds.max, Math.max(bounds.min, maxWaitS ?? BATCH_WAIT_S)) * 1000;
}

/** Who the lines of a batch are for: its account, with the defaults of the moment at which it was created. */
export function customerOf(batch: NewBatch): Customer {
  const { accountId, keyId, priceLimits, retentionDays, logPayloads } = batch;
  return {
    accountId,
    keyId,
    priceLimitFor: (model) => (Object.hasOwn(priceLimits, model) ? (priceLimits[model] ?? null) : null),
    priceLock: false,
    orderTimeoutS: BATCH_WAIT_S,
    retentionDays: keptDays(retentionDays),
    // An account that keeps nothing has its answers kept for a day, to be placed; nobody asked for its prompts.
    logPayloads: logPayloads && retentionDays > 0,
    house: false,
  };
}
