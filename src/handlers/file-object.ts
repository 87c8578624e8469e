/** A file on the wire. Spec 2.5. */
import type { FileRow } from '#batches/file.ts';

/** The file object. Times are whole epoch seconds. */
export function fileObject({ id, bytes, createdAtMs, expiresAtMs, filename, purpose }: FileRow) {
  return {
    id,
    object: 'file',
    bytes,
    created_at: Math.floor(createdAtMs / 1000),
    expires_at: Math.floor(expiresAtMs / 1000),
    filename,
    purpose,
    status: 'processed',
  };
}
