/**
 * Listing, reading, downloading and deleting files. Malformed, unknown and foreign ids get the same response.
 * Spec 4.8.
 */
import type { Downloads } from '#access/downloads.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import {
  type BatchFiles,
  type FileContents,
  type FileRow,
  type FileStore,
  isFileId,
  isReadable,
} from '#batches/file.ts';
import { attachment } from '#batches/filename.ts';
import type { SecuredCall } from '#contract/call.ts';
import { listById } from '#contract/cursor-page.ts';
import type { HandlersFor } from '#contract/handlers.ts';

/** listFiles, getFile, getFileContent and deleteFile. */
export function filesHandlers(options: {
  files: Pick<FileStore, 'find' | 'list' | 'remove'>;
  contents: Pick<FileContents, 'read' | 'delete'>;
  batchFiles: Pick<BatchFiles, 'inputsAmong'>;
  downloads: Pick<Downloads, 'take'>;
  clock: Clock;
  log: Log;
}): HandlersFor<'listFiles' | 'getFile' | 'getFileContent' | 'deleteFile'> {
  const { files, contents, batchFiles, downloads, clock, log } = options;
  return {
    async listFiles({ principal, query }) {
      const { limit, purpose, after } = query;
      const data = (await files.list(principal.account.id, { purpose, limit, after })).map(fileObject);
      return { status: 200, json: listById(data, limit) };
    },

    async getFile(call) {
      return { status: 200, json: fileObject(await fileInPath(call, files)) };
    },

    async getFileContent(call) {
      const { id, accountId, filename, bytes: length, ...file } = await fileInPath(call, files);
      if (!isReadable(file, clock.nowMs())) {
        throw new Fault('result_unavailable', { message: 'The content of this file is not stored any more.' });
      }
      if (!call.headersOnly) await downloads.take(accountId, length);
      const headers = { 'content-type': 'application/jsonl', 'content-disposition': attachment(filename) };
      return { status: 200, headers, length, bytes: contents.read(id, { end: length }) };
    },

    async deleteFile(call) {
      const { id, accountId } = await fileInPath(call, files);
      const isInput = async () => (await batchFiles.inputsAmong([id])).has(id);
      if (await isInput()) throw new Fault('file_in_use');
      // Another request may have deleted the file meanwhile, or created a batch with it.
      if (!(await files.remove(accountId, id))) throw (await isInput()) ? new Fault('file_in_use') : noSuchFile();
      await contents.delete(id).catch((error) => {
        log.error({ file: id, err: error }, 'The content of a deleted file stays until the next start.');
      });
      return { status: 200, json: { id, object: 'file', deleted: true } };
    },
  };
}

/** The file named in the path. Throws not_found. */
async function fileInPath(
  { params: { id }, principal }: Pick<SecuredCall<'getFile'>, 'params' | 'principal'>,
  files: Pick<FileStore, 'find'>,
): Promise<FileRow> {
  const file = isFileId(id) ? await files.find(principal.account.id, id) : null;
  if (!file) throw noSuchFile();
  return file;
}

function noSuchFile(): Fault {
  return new Fault('not_found', { message: 'You have no file with this id.' });
}

/** The file object. Times are whole epoch seconds. Spec 2.5. */
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
