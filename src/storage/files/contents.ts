/**
 * The contents of files in a folder: one file each, in 4,096 folders by the last characters of the id (the first ones
 * are a time and would fill one folder at a time). Uploads are drafts in a folder of their own, renamed when complete,
 * so nobody ever reads half of one; batches append to theirs in place, and their rows have the committed size.
 */
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '#base/fault.ts';
import { secretText } from '#base/id.ts';
import { isFileId } from '#batches/file.ts';
import type { FileContents, FileDraft } from '#batches/file-ports.ts';
import { nullWhenMissing, syncFolder } from '../blobs/folders.ts';

const SHARD_LENGTH = 3;
const DRAFTS = 'drafts';
const CHUNK_BYTES = 64 * 1024;
/** A disk that is full or gone seldom recovers within seconds. */
const RETRY_S = 30;

/** Contents in `folder`, which is created when the first is written. */
export class FolderContents implements FileContents {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async draft(): Promise<FileDraft> {
    const drafts = join(this.#folder, DRAFTS);
    return onDisk(async () => {
      await mkdir(drafts, { recursive: true });
      const path = join(drafts, secretText(20));
      return new FolderDraft(path, await open(path, 'wx'), (fileId) => this.#makePath(fileId));
    });
  }

  async *read(fileId: string, range: { start?: number; end?: number } = {}): AsyncGenerator<Uint8Array> {
    const { start = 0, end = Number.MAX_SAFE_INTEGER } = range;
    const file = await onDisk(() => open(this.#pathOf(fileId).path, 'r'));
    try {
      for (let at = start; at < end; ) {
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
        const { bytesRead } = await onDisk(() => file.read(buffer, 0, buffer.length, at));
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }

  async append(fileId: string, offset: number, bytes: Uint8Array): Promise<void> {
    await onDisk(async () => {
      const { folder, path } = offset === 0 ? await this.#makePath(fileId) : this.#pathOf(fileId);
      const file = await open(path, offset === 0 ? 'w' : 'r+');
      try {
        const { size } = await file.stat();
        if (size < offset) throw new Error(`${fileId} has ${size} bytes on disk where ${offset} were written.`);
        await file.truncate(offset);
        await writeAll(file, bytes, offset);
        await file.sync();
      } finally {
        await file.close();
      }
      if (offset === 0) await syncFolder(folder);
    });
  }

  async delete(fileId: string): Promise<void> {
    await onDisk(() => rm(this.#pathOf(fileId).path, { force: true }));
  }

  /** Whether there is content, even if empty. */
  async has(fileId: string): Promise<boolean> {
    const file = await onDisk(() => open(this.#pathOf(fileId).path, 'r').catch(nullWhenMissing));
    await file?.close();
    return file !== null;
  }

  /** The ids of all contents, folder by folder, each part sorted. Drafts are left out. */
  async *list(): AsyncGenerator<string[]> {
    for (const shard of await namesIn(this.#folder)) {
      if (shard.length !== SHARD_LENGTH) continue;
      const ids = (await namesIn(join(this.#folder, shard))).filter(isFileId);
      if (ids.length > 0) yield ids;
    }
  }

  /** Deletes drafts that a killed process left; only before this process writes any. */
  async sweepDrafts(): Promise<void> {
    await rm(join(this.#folder, DRAFTS), { recursive: true, force: true });
  }

  async #makePath(fileId: string): Promise<FilePath> {
    const filePath = this.#pathOf(fileId);
    const made = await mkdir(filePath.folder, { recursive: true });
    if (made !== undefined) await syncFolder(this.#folder);
    return filePath;
  }

  #pathOf(fileId: string): FilePath {
    // Ids become file names, so only an id may pass.
    if (!isFileId(fileId)) throw new Error('Content is kept under the id of its file.');
    const folder = join(this.#folder, fileId.slice(-SHARD_LENGTH));
    return { folder, path: join(folder, fileId) };
  }
}

interface FilePath {
  readonly folder: string;
  readonly path: string;
}

class FolderDraft implements FileDraft {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #makePath: (fileId: string) => Promise<FilePath>;
  #ended = false;

  constructor(path: string, file: FileHandle, makePath: (fileId: string) => Promise<FilePath>) {
    this.#path = path;
    this.#file = file;
    this.#makePath = makePath;
  }

  async write(chunk: Uint8Array): Promise<void> {
    await onDisk(() => writeAll(this.#file, chunk, null));
  }

  async keep(fileId: string): Promise<void> {
    await onDisk(async () => {
      await this.#file.sync();
      const { folder, path } = await this.#makePath(fileId);
      await rename(this.#path, path);
      this.#ended = true;
      await this.#file.close();
      await syncFolder(folder);
    });
  }

  async abandon(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    // If this fails, the next start sweeps the draft.
    await this.#file.close().catch(() => {});
    await rm(this.#path, { force: true }).catch(() => {});
  }
}

/** A nearly full disk takes a part; only the next write reports why. `position` null continues at the end. */
async function writeAll(file: FileHandle, bytes: Uint8Array, position: number | null): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const at = position === null ? null : position + done;
    done += (await file.write(bytes, done, bytes.length - done, at)).bytesWritten;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(nullWhenMissing);
  return (names ?? []).sort();
}

/** A failure of the disk may be temporary: callers are asked to retry, and the operator gets the cause. */
async function onDisk<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const message = 'The file store cannot be reached, or is full. Try again shortly.';
    throw new Fault('unavailable', { message, retryAfterS: RETRY_S, cause });
  }
}
