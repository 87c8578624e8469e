/**
 * The contents of files in a folder: one file each, in 4,096 folders by the last characters of the id (the first ones
 * are a time and would fill one folder at a time). Uploads are drafts in a folder of their own, renamed when complete,
 * so nobody ever reads half of one; batches append to theirs in place, and their rows have the committed size.
 */
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { secretText } from '#base/id.ts';
import { type FileContents, type FileDraft, isFileId } from '#batches/file.ts';
import { type DiskAccess, directAccess } from '../blobs/disk-calls.ts';
import { nullWhenMissing, SHARD_LENGTH, shardOf, syncFolder } from '../blobs/folders.ts';

const DRAFTS = 'drafts';
const CHUNK_BYTES = 64 * 1024;
/** An upload is fsynced as it arrives, so that a slow disk need not take all of it within one deadline. */
const SYNC_BYTES = 8 * 1024 * 1024;

/** What keeps contents, with what starts and commands need: a folder or a bucket. */
export interface KeptContents extends FileContents {
  /** Whether there is content, even if empty. */
  has(fileId: string): Promise<boolean>;
  /** The ids of all contents, part by part. */
  list(): AsyncIterable<string[]>;
}

/** Contents in `folder`, which is created when the first is written. */
export class FolderContents implements KeptContents {
  readonly #folder: string;
  readonly #disk: DiskAccess;

  constructor(folder: string, disk: DiskAccess = directAccess) {
    this.#folder = folder;
    this.#disk = disk;
  }

  async draft(fileId: string): Promise<FileDraft> {
    this.#pathOf(fileId);
    const drafts = join(this.#folder, DRAFTS);
    const path = join(drafts, secretText(20));
    const handle = await this.#disk.inTime(
      async (proceed) => {
        await mkdir(drafts, { recursive: true });
        proceed();
        return open(path, 'wx');
      },
      async (late) => {
        await late.close();
        await rm(path, { force: true });
      },
    );
    return new FolderDraft(path, new DiskFile(handle, this.#disk), () => this.#makePath(fileId));
  }

  async *read(fileId: string, range: { start?: number; end?: number } = {}): AsyncGenerator<Uint8Array> {
    const { start = 0, end = Number.MAX_SAFE_INTEGER } = range;
    const { path } = this.#pathOf(fileId);
    const handle = await this.#disk.inTime(
      () => open(path, 'r'),
      (late) => late.close(),
    );
    const file = new DiskFile(handle, this.#disk);
    try {
      for (let at = start; at < end; ) {
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
        const { bytesRead } = await file.call(() => handle.read(buffer, 0, buffer.length, at));
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.end();
    }
  }

  async append(fileId: string, offset: number, bytes: Uint8Array): Promise<void> {
    await this.#disk.patiently(async () => {
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
    const { path } = this.#pathOf(fileId);
    await this.#disk.eventually(() => rm(path, { force: true }));
  }

  async has(fileId: string): Promise<boolean> {
    const file = await open(this.#pathOf(fileId).path, 'r').catch(nullWhenMissing);
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
    const folder = join(this.#folder, shardOf(fileId));
    return { folder, path: join(folder, fileId) };
  }
}

interface FilePath {
  readonly folder: string;
  readonly path: string;
}

class FolderDraft implements FileDraft {
  /** Where it is now: renamed content that nobody may read is still a draft. */
  #path: string;
  readonly #file: DiskFile;
  readonly #makePath: () => Promise<FilePath>;
  #unsynced = 0;
  #ended = false;

  constructor(path: string, file: DiskFile, makePath: () => Promise<FilePath>) {
    this.#path = path;
    this.#file = file;
    this.#makePath = makePath;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#unsynced += chunk.length;
    const sync = this.#unsynced >= SYNC_BYTES;
    if (sync) this.#unsynced = 0;
    await this.#file.call(async (handle) => {
      await writeAll(handle, chunk, null);
      if (sync) await handle.datasync();
    });
  }

  async keep(): Promise<void> {
    await this.#file.call(async (handle, proceed) => {
      await handle.sync();
      const { folder, path } = await this.#makePath();
      proceed();
      await rename(this.#path, path);
      this.#path = path;
      await handle.close();
      await syncFolder(folder);
    });
    this.#ended = true;
  }

  async abandon(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#file.end(() => rm(this.#path, { force: true }));
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

/** An open file whose calls come one after the other. It must be ended. */
class DiskFile {
  readonly #handle: FileHandle;
  readonly #disk: DiskAccess;
  #busy = false;
  #failed = false;
  /** The work to do once the hanging call has returned. */
  #rest: (() => void) | null = null;

  constructor(handle: FileHandle, disk: DiskAccess) {
    this.#handle = handle;
    this.#disk = disk;
  }

  /** `DiskAccess.inTime`, with the file. */
  async call<Answer>(work: (handle: FileHandle, proceed: () => void) => Promise<Answer>): Promise<Answer> {
    try {
      return await this.#disk.inTime((proceed) => this.#work(() => work(this.#handle, proceed)));
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  async #work<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#busy = false;
      this.#rest?.();
    }
  }

  /**
   * Closes the file, then does `rest`. Never rejects. After a failed call nothing more is awaited: its caller may have
   * waited as long as a caller should.
   */
  async end(rest: () => Promise<void> = async () => {}): Promise<void> {
    const closeAndRest = async () => {
      await this.#handle.close();
      await rest();
    };
    // Files that cannot be deleted even then are swept at the next start.
    const end = () => this.#disk.eventually(closeAndRest).catch(() => {});
    if (this.#busy) this.#rest = () => void end();
    else if (this.#failed) void end();
    else await end();
  }
}
