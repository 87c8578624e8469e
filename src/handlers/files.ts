/**
 * Files. An upload is a form whose file is written to the disk while it arrives: until then the content is a draft that
 * nobody can read, and the file exists once all of it is on the disk and its row has committed. Malformed, unknown and
 * foreign ids get the same response. Spec 4.8.
 */
import type { Downloads } from '#access/downloads.ts';
import type { Principal } from '#access/principal.ts';
import { managesAll } from '#access/scopes.ts';
import type { Clock } from '#base/clock.ts';
import { type DiskRoom, overShare, requireRoom } from '#base/disk-space.ts';
import { FairShare } from '#base/fair-share.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import { epochSeconds } from '#base/time.ts';
import {
  type BatchFiles,
  type FileContents,
  type FileDraft,
  type FileRow,
  type FileStore,
  fileExpiryMs,
  isFileId,
  isReadable,
  newFileId,
} from '#batches/file.ts';
import { attachment, cleanFilename } from '#batches/filename.ts';
import { type Call, type FormPart, type HandlerFor, handlersOf } from '#contract/call.ts';
import { listById } from '#contract/cursor-page.ts';
import type { BytesReply } from '#contract/reply.ts';
import { ownRoomOnly } from '#results/eviction.ts';

/** Contents that are being sent: each keeps two files open, of a thousand that a process may have on many systems. */
const READ_AT_ONCE = 256;
const TOO_MANY = { message: 'This account reads too many files at once. Let one end first.', retryAfterS: 10 };

/** Uploads that are being written: each keeps a file open, or a part in memory where files are in a bucket. */
const WRITTEN_AT_ONCE = 128;
const TOO_MANY_UPLOADS = {
  message: 'This account uploads too many files at once. Let one end first.',
  retryAfterS: 10,
};

/** listFiles, getFile, getFileContent and deleteFile. */
export function filesHandlers(options: {
  files: Pick<FileStore, 'find' | 'list' | 'remove'>;
  contents: Pick<FileContents, 'read' | 'delete'>;
  batchFiles: Pick<BatchFiles, 'inputsAmong'>;
  downloads: Pick<Downloads, 'begin'>;
  clock: Clock;
  log: Log;
}) {
  const { files, contents, batchFiles, downloads, clock, log } = options;
  const reading = new FairShare(READ_AT_ONCE);
  /** As the member of an account asks for it, too. */
  const getFileContent = async (
    call: FileCall & Pick<Call<'getFileContent'>, 'headersOnly' | 'onSent'>,
  ): Promise<BytesReply> => {
    const { id, accountId, filename, bytes: length, ...file } = await fileInPath(call, files);
    if (!isReadable(file, clock.nowMs())) {
      throw new Fault('result_unavailable', { message: 'The content of this file is not stored any more.' });
    }
    reading.require(accountId, TOO_MANY);
    await downloads.begin(call, accountId, length);
    const bytes = reading.during(accountId, contents.read(id, { end: length }), TOO_MANY);
    const headers = { 'content-type': 'application/jsonl', 'content-disposition': attachment(filename) };
    return { status: 200, headers, length, bytes };
  };
  const own = handlersOf({
    async listFiles({ principal, query }) {
      const { limit, purpose, after } = query;
      const data = (await files.list(principal.reach, { purpose, limit, after })).map(fileObject);
      return { status: 200, json: listById(data, limit) };
    },

    async getFile(call) {
      return { status: 200, json: fileObject(await fileInPath(call, files)) };
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
  });
  return { ...own, getFileContent };
}

/** Who asks for which file. */
type FileCall = Pick<Call<'getFileContent'>, 'params'> & { readonly principal: Pick<Principal, 'reach'> };

/** The file named in the path. Throws not_found. */
async function fileInPath({ params: { id }, principal }: FileCall, files: Pick<FileStore, 'find'>): Promise<FileRow> {
  const file = isFileId(id) ? await files.find(principal.reach, id) : null;
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
    created_at: epochSeconds(createdAtMs),
    expires_at: epochSeconds(expiresAtMs),
    filename,
    purpose,
    status: 'processed',
  };
}

interface UploadOptions {
  readonly files: Pick<FileStore, 'add' | 'storedBytes'>;
  readonly contents: Pick<FileContents, 'draft'>;
  readonly ids: Pick<IdSource, 'uuid'>;
  readonly clock: Clock;
  readonly disk: DiskRoom;
  readonly limits: { readonly batchFileBytes: number; readonly storedBytesPerAccount: number };
}

/**
 * uploadFile. The content is not checked; a batch that uses it does that. Throws invalid_request for anything but one
 * file with the purpose `batch`, request_too_large, unavailable when the disk cannot be written or is low, and
 * rate_limit_error when the account uploads more files at once, or would store more, than it leaves free, or more than it may by a key that may not
 * delete what would be evicted for it.
 */
export function uploadFileHandler(options: UploadOptions): HandlerFor<'uploadFile'> {
  const { files, contents, ids, clock, disk } = options;
  const writing = new FairShare(WRITTEN_AT_ONCE);
  const uploading: FairShare = new FairShare(() => uploading.total + disk.availableBytes);
  return async ({ form, principal }) => {
    const accountId = principal.account.id;
    requireRoom(disk, accountId);
    const giveBack = writing.take(accountId, TOO_MANY_UPLOADS);
    try {
      return await upload(form, principal);
    } finally {
      giveBack();
    }
  };

  async function upload(form: AsyncIterable<FormPart>, principal: Principal) {
    const accountId = principal.account.id;
    const id = newFileId(ids);
    const stored = await files.storedBytes(accountId);
    const draft = await contents.draft(id);
    let [written, isStored] = [0, false];
    const count = (bytes: number) => {
      requireRoom(disk, accountId);
      if (uploading.roomFor(accountId, stored) < bytes) throw overShare();
      const evicts = stored + uploading.of(accountId) + bytes > options.limits.storedBytesPerAccount;
      if (evicts && !managesAll(principal.key)) throw ownRoomOnly();
      written += bytes;
      uploading.add(accountId, bytes);
      disk.willWrite(bytes);
    };
    try {
      const { filename, bytes } = await receive(form, draft, { count, bytesMax: options.limits.batchFileBytes });
      const createdAtMs = clock.nowMs();
      const file: FileRow = {
        id,
        accountId,
        keyId: principal.key.id,
        purpose: 'batch',
        filename,
        bytes,
        createdAtMs,
        expiresAtMs: fileExpiryMs(createdAtMs, principal.account.retentionDays),
        contentGone: false,
      };
      await draft.keep();
      await files.add(file);
      isStored = true;
      return { status: 200, json: fileObject(file) } as const;
    } finally {
      uploading.add(accountId, -written);
      if (!isStored) disk.willWrite(-written);
      await draft.abandon();
    }
  }
}

/** `count` throws when no more bytes may be stored. */
interface UploadLimits {
  readonly bytesMax: number;
  count(bytes: number): void;
}

type Received = Pick<FileRow, 'filename' | 'bytes'>;

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
  { bytesMax, count }: UploadLimits,
): Promise<number> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      const message = `The file is over ${bytesMax / 1024 / 1024} MiB.`;
      throw new Fault('request_too_large', { message, param: 'file' });
    }
    count(chunk.length);
    await draft.write(chunk);
  }
  return bytes;
}
