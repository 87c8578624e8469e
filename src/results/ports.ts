/** What results need from outside: a store for them, and what the retention cleanup reads of it. */
import type { PlainOutcome } from '#base/journal.ts';
import type { NanoUsd } from '#base/money.ts';

/** A result as an attempt of an order made it. Attempts do not write over each other; the row says which one counts. */
export interface AttemptResult {
  readonly orderId: string;
  readonly attempt: number;
  readonly text: string;
}

/** A result as it is read: its text, and what its order was charged. */
export interface StoredResult {
  readonly text: string;
  /** Of the usage record, before any refund; null where there is none. */
  readonly charged: NanoUsd | null;
}

/**
 * Results by order id, as the text that `encodeResult` makes: those that were put here as blobs, and those that a
 * settlement stored as rows (`resultText`). Readers need not know which of the two a result is.
 */
export interface ResultStore {
  /** Resolves when the text is fsynced and survives a power cut. Replaces an earlier one of the attempt. */
  put(result: AttemptResult): Promise<void>;
  /** The same without an fsync, for an unpromised result: it survives the end of the process, and costs far less. */
  putLightly(result: AttemptResult): Promise<void>;
  /** The result; null when none is kept. */
  get(orderId: string): Promise<StoredResult | null>;
  /** The given results that can be read together at the cost of one; read each of the others with `get`. */
  getCheap(orderIds: readonly string[]): Promise<ReadonlyMap<string, StoredResult>>;
  /**
   * Deletes what is left of a result, of all attempts, after its `result-removed` has committed; no effect when there is
   * nothing.
   */
  delete(orderId: string): Promise<void>;
}

/** A result or a file, as it counts towards what its account stores. */
export interface RetainedItem {
  /** The id of the order, or of the file. */
  readonly id: string;
  readonly accountId: string;
  /** The key that made it; null when none did, or nobody knows which. */
  readonly keyId: string | null;
  readonly bytes: number;
  /** When storage began: the oldest is evicted first. */
  readonly sinceMs: number;
}

/** Which items of one kind may be deleted. Each list has at most `limit` items and leaves out those that may not be. */
export interface RetentionIndex {
  /** Expired items, earliest first. */
  expired(nowMs: number, limit: number): Promise<RetainedItem[]>;
  /** An account's items, oldest first. */
  oldest(accountId: string, limit: number): Promise<RetainedItem[]>;
  /** All that count for an account, newest first, those before `after`: also those that may not be deleted. */
  newest(accountId: string, page: { limit: number; after: RetainedItem | null }): Promise<RetainedItem[]>;
}

/** The items of one kind, and how to delete one. */
export interface Retained extends RetentionIndex {
  /** Commits that the item is gone and no longer counts, then deletes it. No effect when it is gone already. */
  remove(item: RetainedItem): Promise<void>;
}

/** The `limit` accounts that store most, of those above `bytesMax`, with what they store. */
export type Overfull = (bytesMax: number, limit: number) => Promise<{ accountId: string; bytes: number }[]>;

/** The units of results. The blob of a large one is written before its unit, and deleted after it. */
export interface ResultUnits {
  readonly 'result-stored': { readonly unit: ResultStoredUnit; readonly outcome: PlainOutcome };
  readonly 'result-removed': { readonly unit: ResultRemovedUnit; readonly outcome: PlainOutcome };
}

/** The result of a done order is in the result store. `stale`: it is no longer wanted. */
export interface ResultStoredUnit {
  readonly kind: 'result-stored';
  readonly orderId: string;
  readonly accountId: string;
  readonly bytes: number;
}

/** A done order has no stored result from now on; the result store's `delete` follows the commit. */
export interface ResultRemovedUnit {
  readonly kind: 'result-removed';
  readonly orderId: string;
  readonly accountId: string;
}
