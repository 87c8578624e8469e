/**
 * A file: the input of a batch, or what came of one. The row says what is known of it; its content is bytes in
 * `FileContents` under the same id, and may go before the row does. Spec 2.5.
 */
import { BATCH_RETENTION_DAYS_MIN } from '#base/bounds.ts';
import type { IdSource } from '#base/id.ts';

const DAY_MS = 86_400_000;

/** What a file is for. Only `batch` is ever uploaded. */
export const filePurposes = ['batch', 'batch_output', 'batch_errors'] as const;
export type FilePurpose = (typeof filePurposes)[number];

/** A file as stored. */
export interface FileRow {
  /** `file-` and 32 hexadecimal digits; a later file has a greater id. */
  readonly id: string;
  readonly accountId: string;
  readonly purpose: FilePurpose;
  /** As it was uploaded, without folders and control characters; at most 255 characters. */
  readonly filename: string;
  /** The size of the content, also after it is gone. */
  readonly bytes: number;
  readonly createdAtMs: number;
  /** Until when the content can be read. */
  readonly expiresAtMs: number;
  /** Whether the content was deleted, for its age or to make room, and only the row is left. */
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
 * Until when a file made now is kept: the account's days of retention, and at least a day, so that an account that keeps
 * nothing can still run a batch. Spec 2.5, 8.
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
