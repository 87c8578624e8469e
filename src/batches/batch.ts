/**
 * A batch: a file of requests that run as orders, and the files with their results. Its row stores what it was created
 * with, so that no later change affects its terms, and counts that change with its lines. Spec 2.6, 3.
 */

import { BATCH_RETENTION_DAYS_MIN, type Range } from '#base/bounds.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import type { Reach } from '#base/reach.ts';
import { startByMs } from '#orders/expiry-timer.ts';
import type { OrderKind, OrderRow } from '#orders/order.ts';
import type { Customer, WishedDeadline } from '#orders/request.ts';
import type { BatchFileSizes, NewBatch } from './units.ts';

export const batchStatuses = [
  'validating',
  'in_progress',
  'cancelling',
  'completed',
  'expired',
  'cancelled',
  'failed',
] as const;
type BatchStatus = (typeof batchStatuses)[number];

/** The statuses of active batches; an account may have five of these. Spec 8. */
export const ACTIVE_STATUSES = ['validating', 'in_progress', 'cancelling'] as const satisfies readonly BatchStatus[];

/** The endpoint of a batch's lines, by order kind. */
export const ENDPOINTS: Readonly<Record<OrderKind, string>> = {
  chat: '/v1/chat/completions',
  completion: '/v1/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** The window of a batch whose creator sets none, in seconds. */
const BATCH_WAIT_S = 86_400;

/** How many lines are in which state. A recorded line is active or ended; an ended one is completed or failed. */
export interface BatchCounts {
  /** Lines of the input; null until it has been read to its end. */
  readonly total: number | null;
  /** Lines whose order is queued or executing. */
  readonly active: number;
  readonly completed: number;
  /** Including expired and canceled ones. */
  readonly failed: number;
  readonly expired: number;
  readonly canceled: number;
  /** Ended lines that are in a file. */
  readonly placed: number;
}

/** A batch as stored. Times are epoch milliseconds, null until they come. */
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

/** A batch, for readers. */
export interface BatchRecord extends BatchRow {
  /** Whether there was an output file, and its content or even its row is gone. */
  readonly outputGone: boolean;
}

const BATCH_ID = /^batch_[0-9a-f]{24}$/;

/** A new id, greater than those before it: `batch_` and 24 characters. */
export function newBatchId(ids: Pick<IdSource, 'uuid'>): string {
  const digits = ids.uuid().replaceAll('-', '');
  // The time and the counter, which are apart in a UUID, then as many random digits as fit.
  return `batch_${digits.slice(0, 12)}${digits.slice(13, 16)}${digits.slice(-9)}`;
}

/** Whether `text` is an id that this service could have made. */
export function isBatchId(text: string): boolean {
  return BATCH_ID.test(text);
}

/** Whether the batch is active. */
export function isActive({ status }: { readonly status: BatchStatus }): boolean {
  return ACTIVE_STATUSES.some((active) => active === status);
}

/** Days for which the files of a batch and its results are kept: at least one, whatever the account's retention. */
export function keptDays(retentionDays: number): number {
  return Math.max(retentionDays, BATCH_RETENTION_DAYS_MIN);
}

/** When a batch is to end, as its creator wishes. */
export interface BatchWait {
  /** Seconds; null for a day. */
  readonly maxWaitS: number | null;
  /** When every line must have started; null where lines bid their limit. */
  readonly deadline: WishedDeadline | null;
}

/**
 * When a batch created now expires, and its deadline. Lines expire at the deadline, if it has one. Throws invalid_request
 * for one that is past, more than 30 days ahead, or after the window that `max_wait` or its default leaves.
 */
export function batchTimes(
  createdAtMs: number,
  { maxWaitS, deadline }: BatchWait,
  bounds: Range,
): Pick<NewBatch, 'expiresAtMs' | 'deadlineMs'> {
  const windowS = Math.min(bounds.max, Math.max(bounds.min, maxWaitS ?? BATCH_WAIT_S));
  const endMs = createdAtMs + windowS * 1000;
  if (deadline === null) return { expiresAtMs: endMs, deadlineMs: null };
  const deadlineMs = startByMs(deadline, { minS: bounds.min, maxS: bounds.max }, createdAtMs);
  if (deadlineMs <= endMs) return { expiresAtMs: deadlineMs, deadlineMs };
  const message = `deadline must lie within the window of the batch, ${windowS} seconds; max_wait makes it longer.`;
  throw new Fault('invalid_request', { param: 'deadline', message });
}

/**
 * The customer of a batch's lines: its account, with the defaults of the moment at which the batch was created. Only a
 * budget that its key got since counts.
 */
export function batchCustomer(batch: NewBatch, keyBudgeted: boolean): Customer {
  const { accountId, keyId, priceLimits, retentionDays, logPayloads, keyModels: models } = batch;
  return {
    accountId,
    keyId,
    readsOwn: false,
    limitFor: (model) => (Object.hasOwn(priceLimits, model) ? (priceLimits[model] ?? null) : null),
    models,
    budget: keyBudgeted ? 'counted' : null,
    priceLock: false,
    orderTimeoutS: BATCH_WAIT_S,
    retentionDays: keptDays(retentionDays),
    // An account without retention has its results kept for a day, until they are placed, but not its prompts.
    logPayloads: logPayloads && retentionDays > 0,
    house: false,
  };
}

/** A line that is recorded: it is an order, or failed without becoming one. */
export interface RecordedLine {
  readonly line: number;
  readonly orderId: string | null;
  readonly placed: boolean;
}

/** A line that has ended, with its order, or with the failure that kept it from becoming one. */
export type EndedLine = {
  readonly line: number;
  readonly customId: string;
  /** The warning about misspelt names in it; null or absent for nothing, and for a line that is no order. */
  readonly warning?: string | null;
} & ({ readonly order: OrderRow; readonly failure: null } | { readonly order: null; readonly failure: LineFailure });

/** Why a line did not become an order: an entry of the error file. */
export interface LineFailure {
  readonly status: 'error' | 'canceled' | 'expired';
  readonly code: string;
  readonly message: string;
}

/** Reads of batches; each sees committed rows only. */
export interface BatchStore {
  /** The batch with this id when it belongs to the account; null otherwise. */
  find(reach: Reach, batchId: string): Promise<BatchRecord | null>;
  /** Newest first, at most `limit`; `after` null, or an id that is no batch of theirs, starts from the newest. */
  list(reach: Reach, page: { readonly limit: number; readonly after: string | null }): Promise<BatchRecord[]>;
  /** The ids of the account's active batches, whichever gateway runs them. */
  activeOf(accountId: string): Promise<string[]>;
  /** The recorded lines of a batch; at most as many as a file may have. */
  recordedLines(batchId: string): Promise<RecordedLine[]>;
  /** Whether the key has a budget now. */
  keyHasBudget(keyId: string): Promise<boolean>;
  /** The given lines that have ended. */
  endedLines(batchId: string, lines: readonly number[]): Promise<EndedLine[]>;
}
