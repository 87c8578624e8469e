/**
 * A file: the input of a batch, or its output or errors. The row has what is known of it; its content is bytes in
 * `FileContents` under the same id, and may be deleted before the row is. Spec 2.5.
 */

import { BATCH_RETENTION_DAYS_MIN } from '#base/bounds.ts';
import type { IdSource } from '#base/id.ts';
import { DAY_MS } from '#base/time.ts';

/** The purpose of a file. Only `batch` is ever uploaded. */
export const filePurposes = ['batch', 'batch_output', 'batch_errors'] as const;
export type FilePurpose = (typeof filePurposes)[number];

/** A file as stored. */
export interface FileRow {
  /** `file-` and 32 hexadecimal digits; a later file has a greater id. */
  readonly id: string;
  readonly accountId: string;
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
