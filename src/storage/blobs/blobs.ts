/**
 * The blob store: large objects as files in a folder, in 4,096 folders by the last characters of the id of its order (the
 * first ones are a time and would fill one folder at a time). A blob is whole or absent: it is written to a
 * draft, fsynced and renamed, and the rename is fsynced too before `put` resolves.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { secretText } from '#base/id.ts';
import { type BlobStore, orderOf } from './blob-store.ts';
import { type DiskAccess, directAccess } from './disk-calls.ts';
import { nullWhenMissing, SHARD_LENGTH, shardOf, syncFolder } from './folders.ts';

const WRITING = /\.tmp$/;
const PIECE_BYTES = 1024 * 1024;

/**
 * Blobs in a folder. A failure of the disk (full, read-only, silent) is a Fault `unavailable`; a retry is safe. `list`,
 * `has` and `sweepDrafts` are for starts and commands: they wait as long as it takes.
 */
export class FolderBlobs implements BlobStore {
  readonly #folder: string;
  readonly #disk: DiskAccess;
  /** Shards that exist; at most 4,096. */
  readonly #shardsMade = new Set<string>();

  /** `folder` is created when the first blob is written. */
  constructor(folder: string, disk: DiskAccess = directAccess) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Fsynced, so that it survives a power cut. */
  async put(name: string, blob: Uint8Array): Promise<void> {
    const place = this.#place(name);
    await this.#disk.patiently(() => this.#put(place, blob));
  }

  async #put({ folder, path }: BlobPath, blob: Uint8Array): Promise<void> {
    await mkdir(folder, { recursive: true });
    const draft = `${path}.${secretText(8)}.tmp`;
    try {
      const file = await open(draft, 'wx');
      try {
        await file.writeFile(blob);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(folder);
  }

  /** Not fsynced: after a power cut the blob may be missing or cut off, and its reader treats it as lost. */
  async putLightly(name: string, blob: Uint8Array): Promise<void> {
    await this.#writeInTime(name, (path) => writeFile(path, blob));
  }

  /** Synced in pieces: a commit that comes meanwhile waits behind one piece, not behind all unsynced bytes. */
  async putGently(name: string, blob: Uint8Array): Promise<void> {
    await this.#writeInTime(name, (path) => writePieces(path, blob));
  }

  async putSafely(name: string, blob: Uint8Array): Promise<void> {
    await this.#writeInTime(name, async (path) => {
      await writePieces(path, blob);
      await syncFolder(dirname(path));
    });
  }

  async get(name: string): Promise<Uint8Array | null> {
    const { path } = this.#place(name);
    return this.#disk.inTime(() => readFile(path).catch(nullWhenMissing));
  }

  async has(name: string): Promise<boolean> {
    const found = await stat(this.#place(name).path).catch(nullWhenMissing);
    return found !== null;
  }

  async delete(name: string): Promise<void> {
    const { path } = this.#place(name);
    await this.#disk.eventually(() => rm(path, { force: true }));
  }

  /** The names of all blobs, folder by folder, each part sorted. Drafts are left out. */
  async *list(): AsyncGenerator<string[]> {
    for (const shard of await this.#shards()) {
      const files = await readdir(join(this.#folder, shard)).catch(nullWhenMissing);
      const names = (files ?? []).filter((file) => orderOf(file) !== null).sort();
      if (names.length > 0) yield names;
    }
  }

  /** Deletes drafts that a killed process left; only before this process writes any. */
  async sweepDrafts(): Promise<void> {
    for (const shard of await this.#shards()) {
      const names = (await readdir(join(this.#folder, shard)).catch(nullWhenMissing)) ?? [];
      for (const name of names) if (WRITING.test(name)) await rm(join(this.#folder, shard, name), { force: true });
    }
  }

  async #shards(): Promise<string[]> {
    const names = (await readdir(this.#folder).catch(nullWhenMissing)) ?? [];
    return names.filter((name) => name.length === SHARD_LENGTH).sort();
  }

  /** What could not be written, or was late, leaves no file. */
  async #writeInTime(name: string, write: (path: string) => Promise<void>): Promise<void> {
    const { folder, path } = this.#place(name);
    const remove = () => rm(path, { force: true });
    await this.#disk.inTime(async (proceed) => {
      if (!this.#shardsMade.has(folder)) await mkdir(folder, { recursive: true });
      this.#shardsMade.add(folder);
      proceed();
      await write(path).catch(async (error) => {
        await remove();
        throw error;
      });
    }, remove);
  }

  #place(name: string): BlobPath {
    // They become file names, so nothing else may pass.
    const orderId = orderOf(name);
    if (orderId === null) throw new Error('A blob is kept under the id of its order.');
    const folder = join(this.#folder, shardOf(orderId));
    return { folder, path: join(folder, name) };
  }
}

interface BlobPath {
  readonly folder: string;
  readonly path: string;
}

/** Each piece reaches the disk before the next one is written. */
async function writePieces(path: string, blob: Uint8Array): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let from = 0; from < blob.length; from += PIECE_BYTES) {
      await file.writeFile(blob.subarray(from, from + PIECE_BYTES));
      await file.datasync();
    }
  } finally {
    await file.close();
  }
}
