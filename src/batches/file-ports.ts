/**
 * What files need of the outside: a place for their content, their rows, and word of what batches do with them. The
 * content is there before its row and goes after it, so a row without `contentGone` never promises what is not there.
 */
import type { FilePurpose, FileRow } from './file.ts';

/** Content that is being written and that nobody can read yet. One of `keep` and `abandon` ends it. */
export interface FileDraft {
  /** Appends. Resolves when the disk has taken it, so that a fast sender waits for a slow disk. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes what was written the content of `fileId`. Resolves when it survives a power cut. */
  keep(fileId: string): Promise<void>;
  /** Forgets what was written; harmless after an end. Never rejects: what the disk does not let go is swept later. */
  abandon(): Promise<void>;
}

/**
 * The contents of files. Nothing ever holds more than a chunk of one. Whatever the disk refuses (full, read-only,
 * unreadable) is a Fault `unavailable` with Retry-After; trying again is safe.
 */
export interface FileContents {
  draft(): Promise<FileDraft>;
  /**
   * The bytes from `start` (0) up to `end` (the end of the content; not included), in chunks of at most 64 KiB. The disk
   * is first touched when the first chunk is asked for; leaving the loop closes the file.
   */
  read(fileId: string, range?: { readonly start?: number; readonly end?: number }): AsyncIterable<Uint8Array>;
  /**
   * Makes `bytes` follow the first `offset` bytes, and cuts off what stood there: what a process that was killed wrote
   * and did not commit. Makes the file when `offset` is 0. Resolves when it survives a power cut. Rejects when the content
   * is shorter than `offset`. Not to be used twice for one file at the same time.
   */
  append(fileId: string, offset: number, bytes: Uint8Array): Promise<void>;
  /** Forgets the content; harmless when there is none. */
  delete(fileId: string): Promise<void>;
}

/** A page of an account's files. */
export interface FilePage {
  /** Null: of every purpose. */
  readonly purpose: FilePurpose | null;
  readonly limit: number;
  /** The last id of the page before; null, and an id that the account has no file of, start from the newest. */
  readonly after: string | null;
}

/** The rows of files. What is written is committed when its promise resolves, and may be written again. */
export interface FileStore {
  /** The file with this id when it belongs to the account; null otherwise. */
  find(accountId: string, fileId: string): Promise<FileRow | null>;
  /** Newest first, at most `limit`. */
  list(accountId: string, page: FilePage): Promise<FileRow[]>;
  /** Enters a file whose content is there, and counts its bytes to what the account keeps. */
  add(file: Omit<FileRow, 'contentGone'>): Promise<void>;
  /** Deletes the row. False when there was none, or an active batch needs the file. The content may be deleted afterwards. */
  remove(accountId: string, fileId: string): Promise<boolean>;
  /**
   * Notes that the content is gone and its bytes do not count any more. The content may be deleted afterwards, unless
   * this is false: there is no such file, or an active batch needs it.
   */
  markGone(accountId: string, fileId: string): Promise<boolean>;
}

/** What the sweep of files asks. Each answer is bounded by `limit`, and goes on behind the file `after`. */
export interface FileIndex {
  /** Files with content whose time has come, earliest first. */
  expired(nowMs: number, page: { limit: number; after: FileRow | null }): Promise<FileRow[]>;
  /** An account's files with content, the oldest first. */
  oldest(accountId: string, page: { limit: number; after: FileRow | null }): Promise<FileRow[]>;
}

/** What batches do with files; the files themselves do not know. */
export interface BatchFiles {
  /** Those of `fileIds` that are the input of an active batch: they are neither deleted nor expired nor evicted. */
  inputsAmong(fileIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of `fileIds` that an active batch writes its output or its errors to: they have content and no row yet. */
  outputsAmong(fileIds: readonly string[]): Promise<ReadonlySet<string>>;
}
