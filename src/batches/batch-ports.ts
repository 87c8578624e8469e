/** What batches need from outside, apart from journal, files and order service: reads of their rows and lines. */
import type { OrderRow } from '#orders/order.ts';
import type { BatchRecord, BatchRow } from './batch.ts';

/** A line that is recorded: it is an order, or failed without becoming one. */
export interface RecordedLine {
  readonly line: number;
  readonly orderId: string | null;
  readonly placed: boolean;
}

/** A line that has ended, with its order, or with the failure that kept it from becoming one. */
export type EndedLine = { readonly line: number; readonly customId: string } & (
  | { readonly order: OrderRow; readonly failure: null }
  | { readonly order: null; readonly failure: LineFailure }
);

/** Why a line did not become an order: an entry of the error file. */
export interface LineFailure {
  readonly status: 'error' | 'canceled' | 'expired';
  readonly code: string;
  readonly message: string;
}

/** Reads of batches; each sees committed rows only. */
export interface BatchStore {
  /** The batch with this id when it belongs to the account; null otherwise. */
  find(accountId: string, batchId: string): Promise<BatchRecord | null>;
  /** Newest first, at most `limit`; `after` null, or an id that is no batch of theirs, starts from the newest. */
  list(accountId: string, page: { readonly limit: number; readonly after: string | null }): Promise<BatchRecord[]>;
  /** Every active batch, oldest first: read at a start. */
  active(): Promise<BatchRow[]>;
  /** The recorded lines of a batch; at most as many as a file may have. */
  recordedLines(batchId: string): Promise<RecordedLine[]>;
  /** Whether the key has a budget now. */
  keyHasBudget(keyId: string): Promise<boolean>;
  /** Those of `lines` that have ended. */
  endedLines(batchId: string, lines: readonly number[]): Promise<EndedLine[]>;
}
