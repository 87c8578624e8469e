/**
 * Uploads: forms whose file is written to the disk while it arrives. Until then the content is a draft that nobody can
 * read; the file exists once all of it is on the disk and its row has committed. Spec 4.8.
 */
import type { Clock } from '#base/clock.ts';
import { type DiskState, requireRoom } from '#base/disk-space.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import {
  type FileContents,
  type FileDraft,
  type FileRow,
  type FileStore,
  fileExpiryMs,
  newFileId,
} from '#batches/file.ts';
import { cleanFilename } from '#batches/filename.ts';
import type { FormPart } from '#contract/call.ts';
import type { HandlerFor } from '#contract/handlers.ts';
import { fileObject } from './files.ts';

interface UploadOptions {
  readonly files: Pick<FileStore, 'add'>;
  readonly contents: Pick<FileContents, 'draft'>;
  readonly ids: Pick<IdSource, 'uuid'>;
  readonly clock: Clock;
  readonly disk: DiskState;
  readonly limits: { readonly batchFileBytes: number };
}

/**
 * uploadFile. The content is not checked; a batch that uses it does that. Throws invalid_request for anything but one
 * file with the purpose `batch`, request_too_large, and unavailable when the disk cannot be written or is low.
 */
export function uploadFileHandler(options: UploadOptions): HandlerFor<'uploadFile'> {
  const { files, contents, ids, clock, disk } = options;
  return async ({ form, principal }) => {
    requireRoom(disk);
    const id = newFileId(ids);
    const draft = await contents.draft(id);
    try {
      const { filename, bytes } = await receive(form, draft, options);
      const createdAtMs = clock.nowMs();
      const file: FileRow = {
        id,
        accountId: principal.account.id,
        purpose: 'batch',
        filename,
        bytes,
        createdAtMs,
        expiresAtMs: fileExpiryMs(createdAtMs, principal.account.retentionDays),
        contentGone: false,
      };
      await draft.keep();
      await files.add(file);
      return { status: 200, json: fileObject(file) };
    } finally {
      await draft.abandon();
    }
  };
}

type UploadLimits = Pick<UploadOptions, 'disk' | 'limits'>;

interface Received {
  readonly filename: string;
  readonly bytes: number;
}

/** The one file of the form; its content is written to `draft`. Unknown parts are ignored. */
async function receive(form: AsyncIterable<FormPart>, draft: FileDraft, limits: UploadLimits): Promise<Received> {
  let received: Received | null = null;
  let hasPurpose = false;
  for await (const part of form) {
    if (part.kind === 'field') {
      if (part.name !== 'purpose') continue;
      if (part.value !== 'batch') throw invalidRequest('purpose', 'The only purpose of an upload is "batch".');
      hasPurpose = true;
    } else if (part.name !== 'file') part.skip();
    else if (received) throw invalidRequest('file', 'An upload takes one file.');
    else received = { filename: cleanFilename(part.filename), bytes: await write(part.content, draft, limits) };
  }
  if (!received) throw invalidRequest('file', 'The form has no file: send it in the part "file".');
  if (!hasPurpose) throw invalidRequest('purpose', 'The form has no purpose: send "batch" in the part "purpose".');
  return received;
}

/** Writes the content as it arrives, and returns its size in bytes. */
async function write(
  content: AsyncIterable<Uint8Array>,
  draft: FileDraft,
  { disk, limits }: UploadLimits,
): Promise<number> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > limits.batchFileBytes) {
      const message = `The file is over ${limits.batchFileBytes / 1024 / 1024} MiB.`;
      throw new Fault('request_too_large', { message, param: 'file' });
    }
    requireRoom(disk);
    await draft.write(chunk);
  }
  return bytes;
}
