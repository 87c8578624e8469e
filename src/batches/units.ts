/**
 * The journal units of batches. They commit in one order with the units of the orders that are their lines: what a
 * batch decided first holds for every line written after it. The counts of a batch change in the transactions that end
 * its lines, and are in none of these units. Spec 2.6, 3.
 */
import type { PlainOutcome } from '#base/journal.ts';
import type { PriceNano } from '#base/money.ts';
import type { OrderKind } from '#orders/order.ts';

/** The units of batches. */
export interface BatchUnits {
  readonly 'batch-created': { readonly unit: BatchCreatedUnit; readonly outcome: PlainOutcome };
  readonly 'batch-checked': { readonly unit: BatchCheckedUnit; readonly outcome: PlainOutcome };
  readonly 'batch-moved': { readonly unit: BatchMovedUnit; readonly outcome: PlainOutcome };
  readonly 'line-failed': { readonly unit: LineFailedUnit; readonly outcome: PlainOutcome };
  readonly 'lines-placed': { readonly unit: LinesPlacedUnit; readonly outcome: PlainOutcome };
  readonly 'batch-ended': { readonly unit: BatchEndedUnit; readonly outcome: PlainOutcome };
}

/** What a batch is created with; none of it ever changes. */
export interface NewBatch {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string | null;
  /** The boot epoch of the gateway that runs it. */
  readonly bootEpoch: number;
  readonly kind: OrderKind;
  readonly inputFileId: string;
  /** The files to which its lines go as they end; nobody can read the two before the batch has ended. */
  readonly outputFileId: string;
  readonly errorFileId: string;
  /** The price limit of lines that name none; null leaves them to the defaults. */
  readonly limit: PriceNano | null;
  /** The defaults of the key and the account by model, the key's before the account's. */
  readonly priceLimits: Readonly<Record<string, PriceNano>>;
  /** The ids of the models that the key may use; null for all. */
  readonly keyModels: readonly string[] | null;
  /** Whether its lines count in a budget of the key. */
  readonly keyBudgeted: boolean;
  /** The tags of lines that have none; null for none. */
  readonly tags: readonly string[] | null;
  /** Whether a line with misspelt names of the gateway's own fields fails. */
  readonly strict: boolean;
  /** The tariff of every model by its id. */
  readonly tariffIds: Readonly<Record<string, string>>;
  /** The account's retention. */
  readonly retentionDays: number;
  readonly logPayloads: boolean;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly createdAtMs: number;
  /** When lines that have not started expire: its deadline, or the end of its window. */
  readonly expiresAtMs: number;
  /** The time by which every line must start; until then the market chooses its bid. Null if lines bid their limit. */
  readonly deadlineMs: number | null;
}

/** A new batch, in status validating. */
export interface BatchCreatedUnit {
  readonly kind: 'batch-created';
  readonly batch: NewBatch;
}

/** The committed sizes of a batch's two files, in bytes; anything beyond is from a write that never committed. */
export interface BatchFileSizes {
  readonly outputBytes: number;
  readonly errorBytes: number;
}

/** The input of a batch has been read to its end, and has this many lines. */
export interface BatchCheckedUnit {
  readonly kind: 'batch-checked';
  readonly batchId: string;
  readonly total: number;
}

/**
 * Every line is an order or has failed (`in_progress`, from validating), or no more lines are to run (`cancelling`,
 * from these two). `stale`: the batch was in another status.
 */
export interface BatchMovedUnit {
  readonly kind: 'batch-moved';
  readonly batchId: string;
  readonly to: 'in_progress' | 'cancelling';
  readonly atMs: number;
}

/** A line ended without an order. `stale`: it is recorded already. */
export interface LineFailedUnit {
  readonly kind: 'line-failed';
  readonly batchId: string;
  readonly line: number;
  readonly customId: string;
  readonly status: 'error' | 'canceled' | 'expired';
  /** The code and the message of its entry in the error file. */
  readonly error: string;
  readonly errorMessage: string;
}

/**
 * Ended lines are in the files of their batch, which now have the sizes `to`; the bytes are fsynced. `from` makes a
 * retry idempotent. `stale`: the files have other sizes.
 */
export interface LinesPlacedUnit {
  readonly kind: 'lines-placed';
  readonly batchId: string;
  readonly inOutput: readonly number[];
  readonly inErrors: readonly number[];
  /** How many of the lines in the error file counted as completed before: their answer is lost. */
  readonly lost: number;
  readonly from: BatchFileSizes;
  readonly to: BatchFileSizes;
}

/** A file of a finished batch, added with its end. */
export interface BatchFileEntry {
  readonly id: string;
  readonly purpose: 'batch_output' | 'batch_errors';
  readonly filename: string;
  readonly bytes: number;
  readonly expiresAtMs: number;
}

/** A batch ends, with its files. `stale`: it had ended in another way. */
export interface BatchEndedUnit {
  readonly kind: 'batch-ended';
  readonly batchId: string;
  readonly accountId: string;
  /** The key that made the batch. */
  readonly keyId: string | null;
  readonly status: 'completed' | 'expired' | 'cancelled' | 'failed';
  readonly atMs: number;
  /** All lines; fewer than were counted when the input was lost meanwhile. */
  readonly total: number;
  /** Why validation failed, a sentence each; null when it did not. */
  readonly errors: readonly string[] | null;
  readonly files: readonly BatchFileEntry[];
}
