/** What keeps large objects under the ids of their orders: a folder or a bucket. `blob-name.ts` has the names. */

/**
 * Blobs by name. A blob is whole or absent. A failure of the store is a Fault `unavailable`; a retry is safe. `has`
 * and `list` are for starts and commands.
 */
export interface BlobStore {
  /** Resolves when the blob is safe, however long that takes. Replaces an earlier blob. */
  put(name: string, blob: Uint8Array): Promise<void>;
  /** In time, and perhaps lost with a power cut. A refused one leaves nothing. Must not run twice at once for a name. */
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

/** What a start may find without an owner, by name: only what nobody can still be writing is listed. */
export interface Sweepable {
  list(): AsyncIterable<readonly string[]>;
  delete(name: string): Promise<void>;
}
