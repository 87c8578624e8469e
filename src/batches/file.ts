/**
 * A file: the input of a batch, or its output or errors. The row has what is known about it; its content is bytes in
 * `FileContents` under the same id, and may be deleted before the row is. Spec 2.5.
 */

import { BATCH_RETENTION_DAYS_MIN } from '#base/bounds.ts';
import type { IdSource } from '#base/id.ts';
import type { Reach } from '#base/reach.ts';
import { DAY_MS } from '#base/time.ts';

/** The purpose of a file. Only `batch` is ever uploaded. */
export const filePurposes = ['batch', 'batch_output', 'batch_errors'] as const;
export type FilePurpose = (typeof filePurposes)[number];

/** A file as stored. */
export interface FileRow {
  /** `file-` and 32 hexadecimal digits. */
  readonly id: string;
  readonly accountId: string;
  /** The key that uploaded it, or made its batch; null when nobody knows. */
  readonly keyId: string | null;
  readonly purpose: FilePurpose;
  /** As uploaded, without folders and control characters; at most 255 characters. */
  readonly filename: string;
  /** The size of the content, even after it is gone. */
  readonly bytes: number;
  readonly createdAtMs: number;
  /** When the content expires. */
  readonly expiresAtMs: number;
  /** Whether the content was deleted, because it expired or to make room, and only the row is left. */
  readonly contentGone: boolean;
}

const FILE_ID = /^file-[0-9a-f]{32}$/;

/** A new id, greater than those before it. */
export function newFileId(ids: Pick<IdSource, 'uuid'>): string {
  return `file-${ids.uuid().replaceAll('-', '')}`;
}

/** Whether `text` is an id that this service could have made. */
export function isFileId(text: string): boolean {
  return FILE_ID.test(text);
}

/**
 * When a file created now expires: after the account's retention, but at least a day, so that an account without
 * retention can still run a batch. Spec 2.5, 8.
 */
export function fileExpiryMs(createdAtMs: number, retentionDays: number): number {
  return createdAtMs + Math.max(retentionDays, BATCH_RETENTION_DAYS_MIN) * DAY_MS;
}

/** Whether the content can be read at `nowMs`. */
export function isReadable(
  { contentGone, expiresAtMs }: Pick<FileRow, 'contentGone' | 'expiresAtMs'>,
  nowMs: number,
): boolean {
  return !contentGone && nowMs < expiresAtMs;
}

/** Content that is being written and that nobody can read yet. It ends with `keep` or `abandon`. */
export interface FileDraft {
  /** Appends. Resolves when the disk has taken the chunk: backpressure for a sender that is faster than the disk. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes what was written the content of its file. Resolves when it is safe and survives a power cut. */
  keep(): Promise<void>;
  /** Discards what was written; no effect after an end. Never rejects: what cannot be deleted now is swept later. */
  abandon(): Promise<void>;
}

/**
 * The contents of files. Content exists before its row and is deleted after it, so a row without `contentGone` never
 * promises content that is missing. At most one chunk of each is in memory. A failure of the disk (full, read-only, unreadable) is
 * a Fault `unavailable` with Retry-After; a retry is safe.
 */
export interface FileContents {
  /** The content of the new file `fileId`, which must have none. */
  draft(fileId: string): Promise<FileDraft>;
  /**
   * The bytes from `start` (default 0) to `end` (exclusive; default: the end of the content), in chunks of at most 64
   * KiB. The disk is first read when the first chunk is requested; leaving the loop closes the file.
   */
  read(fileId: string, range?: { readonly start?: number; readonly end?: number }): AsyncIterable<Uint8Array>;
  /**
   * Writes `bytes` at `offset` and cuts off what was there: what a killed process wrote but did not commit. Creates the
   * file when `offset` is 0. Resolves when the bytes are fsynced. Rejects when the content is shorter than `offset`.
   * Must not run twice at once for one file.
   */
  append(fileId: string, offset: number, bytes: Uint8Array): Promise<void>;
  /** Deletes the content; no effect when there is none. */
  delete(fileId: string): Promise<void>;
}

/** A page of files. */
interface FilePage {
  /** Null: of every purpose. */
  readonly purpose: FilePurpose | null;
  readonly limit: number;
  /** The last id of the page before; null, or an id that is not within reach, starts from the newest. */
  readonly after: string | null;
}

/** The rows of files. Writes have committed when their promise resolves, and are idempotent. */
export interface FileStore {
  /** The file with this id when it is within reach; null otherwise. */
  find(reach: Reach, fileId: string): Promise<FileRow | null>;
  /** The files within reach, newest first, at most `limit`. */
  list(reach: Reach, page: FilePage): Promise<FileRow[]>;
  /** What the account stores, in results and files together, with what its active batches have written so far. */
  storedBytes(accountId: string): Promise<number>;
  /** Adds the row of a file whose content exists, and counts its bytes towards what the account stores. */
  add(file: Omit<FileRow, 'contentGone'>): Promise<void>;
  /** Deletes the row. False when there was none, or an active batch needs the file. The content may be deleted afterwards. */
  remove(accountId: string, fileId: string): Promise<boolean>;
  /**
   * Marks the content as gone; its bytes no longer count. The caller then deletes the content, unless this returns
   * false: there is no such file, or an active batch needs it.
   */
  markGone(accountId: string, fileId: string): Promise<boolean>;
}

/** Where a file is in the order of creation. */
export type FilePosition = Pick<FileRow, 'createdAtMs' | 'id'>;

/** What the retention cleanup reads of files. At most `limit` rows, those behind the file `after`. */
export interface FileIndex {
  /** Expired files with content, earliest first. */
  expired(nowMs: number, page: { limit: number; after: FileRow | null }): Promise<FileRow[]>;
  /** An account's files with content, oldest first. */
  oldest(accountId: string, page: { limit: number; after: FileRow | null }): Promise<FileRow[]>;
  /** The same, newest first, only files before `after`. */
  newest(accountId: string, page: { limit: number; after: FilePosition | null }): Promise<FileRow[]>;
}

/** Which files are used by active batches; the files themselves do not know. */
export interface BatchFiles {
  /** The files in `fileIds` that are inputs of active batches: they are not deleted, expired or evicted. */
  inputsAmong(fileIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The files in `fileIds` to which an active batch writes output or errors: they have content but no row yet. */
  outputsAmong(fileIds: readonly string[]): Promise<ReadonlySet<string>>;
}
