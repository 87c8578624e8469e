/** Describes the table of files. */
import { type FileRow, filePurposes } from '#batches/file.ts';
import { codec } from '../database/codec.ts';
import { flag, int, oneOf, text } from '../database/values.ts';

/** The files. */
export const {
  from: fileFrom,
  row: fileRecord,
  columns: fileColumns,
} = codec<FileRow>({
  id: text,
  accountId: text,
  purpose: oneOf(filePurposes),
  filename: text,
  bytes: int,
  createdAtMs: int,
  expiresAtMs: int,
  contentGone: flag,
});
