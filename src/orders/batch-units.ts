/**
 * The writes of batches. They go through the journal, in one order with the writes of the orders that are their lines:
 * what a batch decided first holds for every line that is written after it. The counts of a batch move with its lines,
 * in the transactions that end them, and are in none of these units. Spec 2.6, 3.
 */
import type { PriceNano } from '#base/money.ts';
import type { PlainOutcome } from './journal-port.ts';
import type { OrderKind } from './order.ts';

/** What a batch is created with; none of it changes in its life. */
export interface NewBatch {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly kind: OrderKind;
  readonly inputFileId: string;
  /** Where its lines go as they end; nobody sees these two before the batch has ended. */
  readonly outputFileId: string;
  readonly errorFileId: string;
  /** For lines that name no price limit; null leaves them to the defaults. */
  readonly priceLimit: PriceNano | null;
  /** The defaults of the key and the account by model, the key's before the account's. */
  readonly priceLimits: Readonly<Record<string, PriceNano>>;
  /** The tariff of every model by its id. */
  readonly tariffIds: Readonly<Record<string, string>>;
  /** The account's setting. */
  readonly retentionDays: number;
  readonly logPayloads: boolean;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly createdAtMs: number;
  /** The deadline, which every line inherits. */
  readonly expiresAtMs: number;
}

/** A batch, validating. */
export interface BatchCreatedUnit {
  readonly kind: 'batch-created';
  readonly batch: NewBatch;
}

/** The sizes of a batch's two files, in bytes, as far as their lines count. */
export interface BatchFileSizes {
  readonly outputBytes: number;
  readonly errorBytes: number;
}

/** The input of a batch was read to its end, and has this many lines. */
export interface BatchCheckedUnit {
  readonly kind: 'batch-checked';
  readonly batchId: string;
  readonly total: number;
}

/**
 * Every line is an order or has failed (`in_progress`, from validating), or no more lines are to run (`cancelling`, from
 * these two). `stale`: the batch was in another status.
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
  /** The code and the sentence of its entry in the error file. */
  readonly error: string;
  readonly errorMessage: string;
}

/**
 * Ended lines stand in the files of their batch, which have the sizes `to` from now on; the bytes are on the disk. Told
 * from a repetition by `from`. `stale`: the files have another size.
 */
export interface LinesPlacedUnit {
  readonly kind: 'lines-placed';
  readonly batchId: string;
  readonly inOutput: readonly number[];
  readonly inErrors: readonly number[];
  /** How many of those in the error file count as completed until now: their answer is lost. */
  readonly lost: number;
  readonly from: BatchFileSizes;
  readonly to: BatchFileSizes;
}

/** A file of a finished batch, entered with its end. */
export interface BatchFileEntry {
  readonly id: string;
  readonly purpose: 'batch_output' | 'batch_errors';
  readonly filename: string;
  readonly bytes: number;
  readonly expiresAtMs: number;
}

/** A batch ends, with its files. `stale`: it had ended another way. */
export interface BatchEndedUnit {
  readonly kind: 'batch-ended';
  readonly batchId: string;
  readonly accountId: string;
  readonly status: 'completed' | 'expired' | 'cancelled' | 'failed';
  readonly atMs: number;
  /** Lines in all: fewer than were counted when the input was lost on the way. */
  readonly total: number;
  /** Why validation failed, a sentence each; null when it did not. */
  readonly errors: readonly string[] | null;
  readonly files: readonly BatchFileEntry[];
}

export type BatchUnit =
  | BatchCreatedUnit
  | BatchCheckedUnit
  | BatchMovedUnit
  | LineFailedUnit
  | LinesPlacedUnit
  | BatchEndedUnit;

/** What each kind of unit answers. */
export interface BatchOutcomes {
  'batch-created': PlainOutcome;
  'batch-checked': PlainOutcome;
  'batch-moved': PlainOutcome;
  'line-failed': PlainOutcome;
  'lines-placed': PlainOutcome;
  'batch-ended': PlainOutcome;
}
