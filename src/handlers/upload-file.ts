/**
 * An upload: a form whose file goes to the disk while it arrives. What is read before the end is a draft that nobody
 * sees; the file exists once all of it is on the disk and its row has committed. Spec 4.8.
 */

import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { type FileRow, fileExpiryMs, newFileId } from '#batches/file.ts';
import type { FileContents, FileDraft, FileStore } from '#batches/file-ports.ts';
import { cleanFilename } from '#batches/filename.ts';
import type { FormHandler, FormPart } from './call.ts';
import { fileObject } from './file-object.ts';

/** What uploads need. */
export interface UploadDependencies {
  readonly files: Pick<FileStore, 'add'>;
  readonly contents: Pick<FileContents, 'draft'>;
  readonly ids: Pick<IdSource, 'uuid'>;
  readonly clock: Clock;
  readonly fileBytesMax: number;
}

/**
 * uploadFile. The content is not looked at: a batch that uses it does that. Throws invalid_request for anything but one
 * file with the purpose `batch`, request_too_large, and unavailable when the disk does not take it.
 */
export function uploadFileHandler({ files, contents, ids, clock, fileBytesMax }: UploadDependencies): FormHandler {
  return async ({ form, principal }) => {
    const draft = await contents.draft();
    try {
      const { filename, bytes } = await receive(form, draft, fileBytesMax);
      const createdAtMs = clock.nowMs();
      const file: FileRow = {
        id: newFileId(ids),
        accountId: principal.account.id,
        purpose: 'batch',
        filename,
        bytes,
        createdAtMs,
        expiresAtMs: fileExpiryMs(createdAtMs, principal.account.retentionDays),
        contentGone: false,
      };
      await draft.keep(file.id);
      await files.add(file);
      return { status: 200, json: fileObject(file) };
    } finally {
      await draft.abandon();
    }
  };
}

interface Received {
  readonly filename: string;
  readonly bytes: number;
}

/** The one file of the form, whose content is in `draft` then. Parts that have no meaning here are let pass. */
async function receive(form: AsyncIterable<FormPart>, draft: FileDraft, bytesMax: number): Promise<Received> {
  let received: Received | null = null;
  let hasPurpose = false;
  for await (const part of form) {
    if (part.kind === 'field') {
      if (part.name !== 'purpose') continue;
      if (part.value !== 'batch') throw badPart('purpose', 'The only purpose of an upload is batch.');
      hasPurpose = true;
    } else if (part.name !== 'file') part.skip();
    else if (received) throw badPart('file', 'One upload is one file.');
    else received = { filename: cleanFilename(part.filename), bytes: await write(part.content, draft, bytesMax) };
  }
  if (!received) throw badPart('file', 'The form has no file: send one in the part named file.');
  if (!hasPurpose) throw badPart('purpose', 'The form has no purpose: send batch in the part named purpose.');
  return received;
}

/** Writes the content as it comes, and tells its size. */
async function write(content: AsyncIterable<Uint8Array>, draft: FileDraft, bytesMax: number): Promise<number> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      const message = `The file is over ${bytesMax / 1024 / 1024} MiB.`;
      throw new Fault('request_too_large', { message, param: 'file' });
    }
    await draft.write(chunk);
  }
  return bytes;
}

function badPart(param: string, message: string): Fault {
  return new Fault('invalid_request', { param, message });
}
