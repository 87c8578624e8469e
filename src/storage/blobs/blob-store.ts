/** What keeps large objects under the ids of their orders: a folder or a bucket. */
import { isUuid } from '#base/id.ts';

/**
 * Blobs by name. A blob is whole or absent. A failure of the store is a Fault `unavailable`; a retry is safe. `has`
 * and `list` are for starts and commands.
 */
export interface BlobStore {
  /** Resolves when the blob is safe, however long that takes. Replaces an earlier blob. */
  put(name: string, blob: Uint8Array): Promise<void>;
  /**
   * In time, and perhaps lost with a power cut. A refused write leaves nothing. Must not run twice at once for a name.
   */
  putLightly(name: string, blob: Uint8Array): Promise<void>;
  /** The same, for a large blob beside commits. */
  putGently(name: string, blob: Uint8Array): Promise<void>;
  /** In time, and safe. Not for a blob that replaces another: a crash would leave part of it. */
  putSafely(name: string, blob: Uint8Array): Promise<void>;
  /** The blob; null when there is none. */
  get(name: string): Promise<Uint8Array | null>;
  /** Whether there is a blob. */
  has(name: string): Promise<boolean>;
  /** Deletes a blob, once the store answers; no effect when there is none. */
  delete(name: string): Promise<void>;
  /** The names of all blobs, part by part. */
  list(): AsyncIterable<string[]>;
}

/** A bucket that a start cannot use. The message is a sentence for the operator, without secrets. */
export class BucketRefused extends Error {}

/** Names of blobs that may have no owner at a start. Only blobs that nobody can still be writing are listed. */
export interface Sweepable {
  list(): AsyncIterable<readonly string[]>;
  delete(name: string): Promise<void>;
}

// A result is written by one attempt of its order, and a process that was taken for dead may still write the result of its
// attempt when another process has run the next one. So each attempt has a name of its own, and the order's row says which
// attempt counts. docs/decisions/0039.

const NAME = /^(?<order>[^.]+)(?:\.[1-9][0-9]{0,8})?$/;

/** The name of what an attempt left: the id of the order, with the number of any attempt but the first. */
export function blobName(orderId: string, attempt: number): string {
  return attempt === 1 ? orderId : `${orderId}.${attempt}`;
}

/** The order of a blob; null if this is no blob's name. */
export function orderOf(name: string): string | null {
  const order = NAME.exec(name)?.groups?.order;
  return order !== undefined && isUuid(order) ? order : null;
}

/** Where the result of an order that ended with `attempt` may be, in this order: earlier versions had one name for all. */
export function blobNames(orderId: string, attempt: number): string[] {
  return attempt === 1 ? [orderId] : [blobName(orderId, attempt), orderId];
}
